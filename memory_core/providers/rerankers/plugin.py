"""Loads a user's own reranker and checks everything it returns or raises."""

from collections.abc import Sequence
from typing import cast

from ...config.model_settings import RerankerSettings
from ...domain.errors import RerankerUnavailable
from ...infra.deadlines import call_with_timeout
from ...infra.plugins import build_plugin, translate_errors
from .base import Scores, ScoringReranker, checked_scores


def custom_reranker(settings: RerankerSettings) -> ScoringReranker:
    """Builds `Class(settings=settings)` for kind package.module:Class. Raises ConfigError."""
    built = build_plugin(
        settings.kind, key="reranker.kind", settings=settings, protocol=ScoringReranker
    )
    return CheckedReranker(cast(ScoringReranker, built))


class CheckedReranker:
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
