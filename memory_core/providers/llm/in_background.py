"""Lets a language model that knows only foreground calls do background work."""

from ...domain.errors import LLMInterrupted, LLMUnavailable
from ...infra.deadlines import Interrupt, Interrupted, call_until
from ...text.cleaning import without_reasoning
from .base import Completion, LanguageModel, LLMRequest
from .openai_background import estimated

_DEFAULT_MAX_TOKENS = 4_096  # tokens, for a class that does not know SERVER_LIMIT


class ForegroundModelInBackground:
    """Implements BackgroundModel with any language model, without schema and usage report."""

    def __init__(self, llm: LanguageModel) -> None:
        self._llm = llm
        self.name = llm.name

    def ask(self, request: LLMRequest, interrupt: Interrupt) -> Completion:
        try:
            whole = call_until(interrupt, lambda _: self._complete(request))
        except Interrupted as exc:
            raise LLMInterrupted(f"{self.name}: stopped for something more urgent") from exc
        text = without_reasoning(whole).strip()
        if not text:
            raise LLMUnavailable(f"{self.name} sent an empty answer")
        return Completion(
            text=text,
            prompt_tokens=estimated([turn.text for turn in request.turns]),
            completion_tokens=estimated([whole]),
        )

    def _complete(self, request: LLMRequest) -> str:
        limit = request.max_tokens if request.max_tokens > 0 else _DEFAULT_MAX_TOKENS
        return self._llm.complete(
            request.turns,
            max_tokens=limit,
            temperature=request.temperature,
            timeout_s=request.timeout_s,
        )
