"""Loads a user's own models, and checks everything that they return or raise.

`Class(settings=settings)` is built for the kind package.module:Class.
"""

from collections.abc import Iterator, Sequence
from typing import cast

from ..config.model_settings import EmbedderSettings, LLMSettings, RerankerSettings
from ..domain.errors import EmbedderUnavailable, LLMUnavailable, RerankerUnavailable
from ..domain.records import Turn
from ..infra.deadlines import call_with_timeout
from ..infra.plugins import build_plugin, translate_errors
from .embedders.base import Embedder, Vectors, checked_rows, empty_rows
from .llm.base import LanguageModel
from .rerankers.base import Scores, ScoringReranker, checked_scores


def custom_embedder(settings: EmbedderSettings) -> Embedder:
    """Returns the embedder that the settings name. Raises ConfigError."""
    built = build_plugin(settings.kind, key="embedder.kind", settings=settings, protocol=Embedder)
    return _CheckedEmbedder(cast(Embedder, built))


def custom_language_model(settings: LLMSettings) -> LanguageModel:
    """Returns the language model that the settings name. Raises ConfigError."""
    built = build_plugin(settings.kind, key="llm.kind", settings=settings, protocol=LanguageModel)
    return _CheckedLanguageModel(cast(LanguageModel, built))


def custom_reranker(settings: RerankerSettings) -> ScoringReranker:
    """Returns the reranker that the settings name. Raises ConfigError."""
    built = build_plugin(
        settings.kind, key="reranker.kind", settings=settings, protocol=ScoringReranker
    )
    return _CheckedReranker(cast(ScoringReranker, built))


class _CheckedEmbedder:
    """Wraps a foreign embedder: checks its rows and translates its errors."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self.name = str(embedder.name)
        self.dim = int(embedder.dim)
        self.fingerprint = str(embedder.fingerprint)

    def embed(self, texts: Sequence[str]) -> Vectors:
        if not texts:
            return empty_rows(self.dim)
        with translate_errors(self.name, EmbedderUnavailable):
            return self._checked(self._embedder.embed(texts), len(texts))

    def embed_query(self, text: str, *, timeout_s: float) -> Vectors:
        def ask() -> Vectors:
            return self._embedder.embed_query(text, timeout_s=timeout_s)

        with translate_errors(self.name, EmbedderUnavailable):
            row: Vectors = self._checked([call_with_timeout(timeout_s, ask)], 1)[0]
            return row

    def _checked(self, rows: object, count: int) -> Vectors:
        vectors = checked_rows(rows, count=count, dim=self.dim)
        self.dim = vectors.shape[1]
        return vectors


class _CheckedLanguageModel:
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


class _CheckedReranker:
    """Wraps a foreign reranker: checks its scores and translates its errors."""

    def __init__(self, reranker: ScoringReranker) -> None:
        self._reranker = reranker
        self.name = str(reranker.name)

    def prepare(self) -> None:
        with translate_errors(self.name, RerankerUnavailable):
            self._reranker.prepare()

    def scores(self, query: str, texts: Sequence[str], *, timeout_s: float) -> Scores:
        def ask() -> Scores:
            scores = self._reranker.scores(query, texts, timeout_s=timeout_s)
            return checked_scores(scores.items(), count=len(texts))

        with translate_errors(self.name, RerankerUnavailable):
            return call_with_timeout(timeout_s, ask)
