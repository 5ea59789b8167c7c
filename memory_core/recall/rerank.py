"""Orders the candidates that passed the gate; the first ones are replayed."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from ..domain.errors import RerankerUnavailable
from ..providers.rerankers.base import ScoringReranker
from .fact_versions import newest_first
from .query import Query
from .results import Candidate

_MAX_TEXT_CHARS = 1000  # letters of a message or a memory that a reranking model gets


@dataclass(frozen=True, slots=True, kw_only=True)
class RerankResult:
    """The candidates, best first. `fault` says why a reranker kept the old order."""

    candidates: tuple[Candidate, ...]
    fault: str = ""


class Reranker(Protocol):
    def order(self, query: Query, candidates: Sequence[Candidate]) -> RerankResult: ...


class RerankByScore:
    """Orders by score, with newer versions of a fact before older ones; needs no model."""

    def order(self, query: Query, candidates: Sequence[Candidate]) -> RerankResult:
        return RerankResult(candidates=tuple(newest_first(candidates)))


class RerankByModel:
    """Orders by the scores of a reranking model; unscored candidates follow in their old order.

    The model sees the first `max_candidates`, in a call of at most `timeout_s` seconds.
    """

    def __init__(self, reranker: ScoringReranker, *, max_candidates: int, timeout_s: float) -> None:
        self._reranker = reranker
        self._max_candidates = max_candidates
        self._timeout_s = timeout_s

    def order(self, query: Query, candidates: Sequence[Candidate]) -> RerankResult:
        texts = [
            candidate.memory.text[:_MAX_TEXT_CHARS]
            for candidate in candidates[: self._max_candidates]
        ]
        if len(texts) < 2:
            return RerankResult(candidates=tuple(candidates))
        question = query.text[:_MAX_TEXT_CHARS]
        try:
            scores = self._reranker.scores(question, texts, timeout_s=self._timeout_s)
        except RerankerUnavailable as exc:
            return RerankResult(candidates=tuple(candidates), fault=f"ordered by score: {exc}")
        first = sorted(scores, key=lambda index: (-scores[index], index))
        rest = [index for index in range(len(candidates)) if index not in scores]
        return RerankResult(candidates=tuple(candidates[index] for index in [*first, *rest]))
