"""Asks the language model for a person who waits, on the page or the command line."""

from collections.abc import Iterator, Mapping, Sequence
from typing import ClassVar, Self

from ..config.schema import Settings
from ..domain.records import Turn
from ..infra.deadlines import NEVER
from ..memory.factories import Models
from ..memory.long_term_memory import LongTermMemory
from ..providers.llm.base import BackgroundModel, LanguageModel, LLMRequest
from ..recall.query import local_time
from ..text.prompt_files import Prompt, PromptBook, PromptContract


class ForegroundWork:
    """Fills one prompt about a memory and returns the reply; safe for many threads.

    `llm` is None where no language model is configured.
    """

    contract: ClassVar[PromptContract]
    max_tokens: ClassVar[int]

    def __init__(
        self,
        memory: LongTermMemory,
        llm: LanguageModel | None,
        *,
        timeout_s: float,
        prompts: PromptBook | None = None,
    ) -> None:
        self._memory = memory
        self._llm = llm
        self._timeout_s = timeout_s
        self._prompt: Prompt = (prompts or PromptBook()).load(self.contract)

    @classmethod
    def of(cls, memory: LongTermMemory, models: Models, settings: Settings) -> Self:
        """Returns the work with the configured model and its time limit."""
        timeout_s = settings.llm.timeout_s  # somebody waits
        return cls(memory, _foreground_model(models), timeout_s=timeout_s, prompts=models.prompts)

    def _reply(self, llm: LanguageModel, fields: Mapping[str, str], *, like: str) -> str:
        """Returns the reply to a prompt in the language of `like`. Raises LLMUnavailable."""
        turns = self._prompt.fill(fields, like=like, now=local_time(self._memory.now()))
        return llm.complete(
            turns, max_tokens=self.max_tokens, temperature=0.0, timeout_s=self._timeout_s
        )


class _ForegroundModel:
    """Asks a model for background work at once. Raises LLMUnavailable if it is busy."""

    def __init__(self, model: BackgroundModel) -> None:
        self._model = model

    @property
    def name(self) -> str:
        return self._model.name

    def complete(
        self, turns: Sequence[Turn], *, max_tokens: int, temperature: float, timeout_s: float
    ) -> str:
        request = LLMRequest(
            turns=tuple(turns),
            max_tokens=max_tokens,
            temperature=temperature,
            timeout_s=timeout_s,
        )
        return self._model.ask(request, NEVER).text

    def stream(
        self, turns: Sequence[Turn], *, max_tokens: int, temperature: float, timeout_s: float
    ) -> Iterator[str]:
        yield self.complete(
            turns, max_tokens=max_tokens, temperature=temperature, timeout_s=timeout_s
        )


def _foreground_model(models: Models) -> LanguageModel | None:
    """Returns the configured model, even one that otherwise only does background work."""
    if models.llm is not None or models.background is None:
        return models.llm
    return _ForegroundModel(models.background)
