"""Loads a user's own language model and turns all its errors into LLMUnavailable."""

from collections.abc import Iterator, Sequence
from typing import cast

from ...config.model_settings import LLMSettings
from ...domain.errors import LLMUnavailable
from ...domain.records import Turn
from ...infra.deadlines import call_with_timeout
from ...infra.plugins import build_plugin, translate_errors
from .base import LanguageModel


def custom_language_model(settings: LLMSettings) -> LanguageModel:
    """Builds `Class(settings=settings)` for kind package.module:Class. Raises ConfigError."""
    built = build_plugin(settings.kind, key="llm.kind", settings=settings, protocol=LanguageModel)
    return CheckedLanguageModel(cast(LanguageModel, built))


class CheckedLanguageModel:
    """Wraps a foreign model: refuses answers that are not text and translates its errors."""

    def __init__(self, llm: LanguageModel) -> None:
        self._llm = llm
        self.name = str(llm.name)

    def complete(
        self, turns: Sequence[Turn], *, max_tokens: int, temperature: float, timeout_s: float
    ) -> str:
        def ask() -> str:
            return self._llm.complete(
                turns, max_tokens=max_tokens, temperature=temperature, timeout_s=timeout_s
            )

        with translate_errors(self.name, LLMUnavailable):
            return self._text(call_with_timeout(timeout_s, ask))

    def stream(
        self, turns: Sequence[Turn], *, max_tokens: int, temperature: float, timeout_s: float
    ) -> Iterator[str]:
        with translate_errors(self.name, LLMUnavailable):
            for piece in self._llm.stream(
                turns, max_tokens=max_tokens, temperature=temperature, timeout_s=timeout_s
            ):
                yield self._text(piece)

    def _text(self, answer: object) -> str:
        if not isinstance(answer, str):
            raise LLMUnavailable(f"{self.name} answered {type(answer).__name__}, not text")
        return answer
