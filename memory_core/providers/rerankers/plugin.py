"""A reranker of the user's own: nothing it returns or raises is taken on trust."""

from collections.abc import Sequence
from typing import cast

from ...config.schema import RerankerSettings
from ...domain.errors import RerankerUnavailable
from ...infra.deadlines import call_with_timeout
from ...infra.plugins import build_plugin, translate_errors
from .base import Scores, ScoringReranker
from .validation import checked_scores


def custom_reranker(settings: RerankerSettings) -> ScoringReranker:
    """`Class(settings=settings)` for kind package.module:Class. Raises ConfigError."""
    built = build_plugin(
        settings.kind, key="reranker.kind", settings=settings, protocol=ScoringReranker
    )
    return CheckedReranker(cast(ScoringReranker, built))


class CheckedReranker:
    """Holds a foreign reranker to the contract: scores are checked, errors translated."""

    def __init__(self, reranker: ScoringReranker) -> None:
        self._reranker = reranker
        self.name = str(reranker.name)

    def prepare(self) -> None:
        with translate_errors(self.name, RerankerUnavailable):
            self._reranker.prepare()

    def scores(self, query: str, texts: Sequence[str], *, timeout_s: float) -> Scores:
        def ask() -> Scores:
            found = self._reranker.scores(query, texts, timeout_s=timeout_s)
            return checked_scores(found.items(), count=len(texts))

        with translate_errors(self.name, RerankerUnavailable):
            return call_with_timeout(timeout_s, ask)
