"""The language model for a person who waits for the answer, on the page or the command line."""

from collections.abc import Iterator, Sequence

from ..domain.records import Turn
from ..infra.deadlines import NEVER
from ..memory.factories import Models
from ..providers.llm.base import BackgroundModel, LanguageModel, LLMRequest


class ForegroundModel:
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


def foreground_model(models: Models) -> LanguageModel | None:
    """Returns the configured model, even one that otherwise only does background work."""
    if models.llm is not None or models.background is None:
        return models.llm
    return ForegroundModel(models.background)
