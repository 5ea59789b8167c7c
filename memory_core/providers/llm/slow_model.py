"""Distinguishes a slow server from a hanging one by a short question, and allows it more time."""

from dataclasses import replace

from ...domain.errors import LLMInterrupted, LLMRefused, LLMUnavailable
from ...domain.records import Role, Turn
from ...infra.deadlines import Interrupt
from .base import Completion, LLMRequest
from .openai_background import OpenAIBackgroundModel, estimated

_SHORT = (Turn(role=Role.USER, text="Reply with the word OK."),)
_SHORT_TOKENS = 8


class PatienceModel:
    """Wraps a background model. After a request timed out, it asks a short question.

    If that is answered, the request is repeated once with the time that it needs at the measured
    speed. If not, the model hangs, and the first failure is raised.
    """

    def __init__(self, model: OpenAIBackgroundModel) -> None:
        self._model = model

    @property
    def name(self) -> str:
        return self._model.name

    def ask(self, request: LLMRequest, interrupt: Interrupt) -> Completion:
        tokens = estimated(turn.text for turn in request.turns)
        given_s = self._model.pace.time_limit(tokens, request.timeout_s)
        try:
            return self._model.ask(replace(request, timeout_s=given_s), interrupt)
        except LLMUnavailable as exc:
            if not exc.is_timeout:
                raise
            self._measure(request.timeout_s, interrupt)
            needed_s = self._model.pace.time_limit(tokens, request.timeout_s)
            if needed_s <= given_s:
                raise
        return self._ask_patiently(replace(request, timeout_s=needed_s), interrupt)

    def _ask_patiently(self, request: LLMRequest, interrupt: Interrupt) -> Completion:
        try:
            return self._model.ask(request, interrupt)
        except LLMUnavailable as exc:
            if not exc.is_timeout:
                raise
            raise LLMRefused(
                f"{self.name} answers short questions, but not this one in "
                f"{request.timeout_s:.0f} s: it is too slow for this work; a smaller model is "
                "faster"
            ) from exc

    def _measure(self, timeout_s: float, interrupt: Interrupt) -> None:
        request = LLMRequest(turns=_SHORT, max_tokens=_SHORT_TOKENS, timeout_s=timeout_s)
        try:
            self._model.ask(request, interrupt)
        except LLMInterrupted:
            raise
        except LLMUnavailable:
            return  # keeps the speed measured before the failure, if any
