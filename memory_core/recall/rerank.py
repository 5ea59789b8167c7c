"""Rerank orders what passed the gate; whoever comes first is replayed."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from ..domain.records import Candidate
from .fact_versions import newest_first
from .query import Query


@dataclass(frozen=True, slots=True, kw_only=True)
class Order:
    """The candidates, best first. `fault` says why a reranker left the order as it was."""

    candidates: tuple[Candidate, ...]
    fault: str = ""


class Reranker(Protocol):
    def order(self, query: Query, candidates: Sequence[Candidate]) -> Order: ...


class ScoreOrder:
    """Orders by score, of versions of one fact the newest first: no model, no time."""

    def order(self, query: Query, candidates: Sequence[Candidate]) -> Order:
        return Order(candidates=tuple(newest_first(candidates)))
