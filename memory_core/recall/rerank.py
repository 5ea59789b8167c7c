"""Rerank orders what passed the gate; whoever comes first is replayed."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from ..domain.errors import RerankerUnavailable
from ..providers.rerankers.base import ScoringReranker
from .fact_versions import newest_first
from .query import Query
from .results import Candidate


@dataclass(frozen=True, slots=True, kw_only=True)
class RerankResult:
    """The candidates, best first. `fault` says why a reranker left the order as it was."""

    candidates: tuple[Candidate, ...]
    fault: str = ""


class Reranker(Protocol):
    def order(self, query: Query, candidates: Sequence[Candidate]) -> RerankResult: ...


class RerankByScore:
    """Orders by score, of versions of one fact the newest first: no model, no time."""

    def order(self, query: Query, candidates: Sequence[Candidate]) -> RerankResult:
        return RerankResult(candidates=tuple(newest_first(candidates)))


_LONGEST_TEXT = 1000


class RerankByModel:
    """Those it scores first, by its scores; all others behind, in the order they came in.

    At most the first `most` candidates are shown to it, in a call that may take `timeout_s`.
    """

    def __init__(self, reranker: ScoringReranker, *, most: int, timeout_s: float) -> None:
        self._reranker = reranker
        self._most = most
        self._timeout_s = timeout_s

    def order(self, query: Query, candidates: Sequence[Candidate]) -> RerankResult:
        texts = [candidate.memory.text[:_LONGEST_TEXT] for candidate in candidates[: self._most]]
        if len(texts) < 2:
            return RerankResult(candidates=tuple(candidates))
        asked = query.text[:_LONGEST_TEXT]
        try:
            scores = self._reranker.scores(asked, texts, timeout_s=self._timeout_s)
        except RerankerUnavailable as exc:
            return RerankResult(candidates=tuple(candidates), fault=f"ordered by score: {exc}")
        first = sorted(scores, key=lambda place: (-scores[place], place))
        rest = [place for place in range(len(candidates)) if place not in scores]
        return RerankResult(candidates=tuple(candidates[place] for place in [*first, *rest]))
