"""Orders the candidates that passed the gate; the first ones are replayed.

Without a model they are ordered by score, with the newest version of a fact before the older ones.
Two memories count as versions of one fact if they share enough words and topics and score about
equally. A memory that tells of a change ("they moved it to Friday") needs less of both, least if
the message asks about the present. Unless the message asks how things were, it also gains a small
bonus, as does a newer memory among the best few.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from ..domain.errors import RerankerUnavailable
from ..infra.lru_cache import memoize
from ..providers.rerankers.base import ScoringReranker
from ..text.change_cues import asks_about_now, tells_of_a_change
from ..text.search_terms import terms
from ..text.topics import topics
from .query import Query
from .results import Candidate

_COMPARED = 8  # candidates that are compared
_NEWNESS_BONUS = 0.05  # score bonus of the newest over the oldest
_CHANGE_BONUS = 0.1  # score bonus of a memory that tells of a change
_DAY_S = 86_400.0  # messages of one session are not versions of each other
_MAX_CHARS = 2_000  # letters that are compared
_CACHE_CHARS = 500_000
_MAX_TEXT_CHARS = 1000  # letters of a message or a memory that a reranking model gets


@dataclass(frozen=True, slots=True, kw_only=True)
class _Demands:
    """The demands on a newer version.

    `score_ratio`: least share of the older one's score; `shared_ratio`: least share of the words
    and topics of the shorter text that both have; `shared_terms`: least number of these.
    """

    score_ratio: float
    shared_ratio: float
    shared_terms: int


_OF_ANY = _Demands(score_ratio=0.85, shared_ratio=0.13, shared_terms=2)
_OF_A_CHANGE = _Demands(score_ratio=0.6, shared_ratio=0.05, shared_terms=1)
_OF_A_CHANGE_NOW = _Demands(score_ratio=0.4, shared_ratio=0.05, shared_terms=1)


def newest_first(query: Query, ordered: Sequence[Candidate]) -> list[Candidate]:
    """Returns the candidates with newer versions before older ones; ties keep their order."""
    best, rest = list(ordered[:_COMPARED]), ordered[_COMPARED:]
    of_a_change = _demands_of_a_change(query)
    demands = {
        candidate.memory.id: of_a_change if _tells_of_a_change(candidate) else _OF_ANY
        for candidate in best
    }
    ages = sorted(candidate.memory.ts or 0.0 for candidate in best)
    best.sort(
        key=lambda candidate: (
            -candidate.score
            - _NEWNESS_BONUS * ages.index(candidate.memory.ts or 0.0) / len(ages)
            - _CHANGE_BONUS * (demands[candidate.memory.id] is not _OF_ANY)
        )
    )
    for later in range(1, len(best)):
        newer = best[later]
        target = _target_index(newer, best[:later], demands[newer.memory.id])
        best.insert(target, best.pop(later))
    return [*best, *rest]


def _demands_of_a_change(query: Query) -> _Demands:
    if query.dates or query.asks_about_the_past:
        return _OF_ANY
    return _OF_A_CHANGE_NOW if asks_about_now(query.text) else _OF_A_CHANGE


def _tells_of_a_change(candidate: Candidate) -> bool:
    exchange = candidate.memory.exchange
    if candidate.memory.ts is None:
        return False
    return tells_of_a_change(exchange.user if exchange else candidate.memory.text)


def _target_index(newer: Candidate, before: Sequence[Candidate], demands: _Demands) -> int:
    """Returns the index of the first older version that it may pass, or its own index."""
    target = len(before)
    for index in reversed(range(len(before))):
        if newer.score < demands.score_ratio * before[index].score:
            break
        if _is_newer(newer, before[index]) and _overlap(newer, before[index], demands):
            target = index
    return target


def _is_newer(newer: Candidate, older: Candidate) -> bool:
    return (newer.memory.ts or 0.0) - (older.memory.ts or 0.0) >= _DAY_S


@memoize(chars=_CACHE_CHARS)
def _terms_and_topics(text: str) -> frozenset[str]:
    """Returns the search terms and topics of a text."""
    return frozenset((*terms(text), *topics(text)))


def _overlap(left: Candidate, right: Candidate, demands: _Demands) -> bool:
    one, other = (
        _terms_and_topics(candidate.memory.text[:_MAX_CHARS]) for candidate in (left, right)
    )
    shared = demands.shared_ratio * min(len(one), len(other))
    return len(one & other) >= max(demands.shared_terms, shared)


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
        return RerankResult(candidates=tuple(newest_first(query, candidates)))


class RerankByModel:
    """Orders by the scores of a reranking model; unscored candidates follow in their old order.

    The model sees at most the first `most` candidates, in a call of at most `timeout_s` seconds.
    """

    def __init__(self, reranker: ScoringReranker, *, most: int, timeout_s: float) -> None:
        self._reranker = reranker
        self._most = most
        self._timeout_s = timeout_s

    def order(self, query: Query, candidates: Sequence[Candidate]) -> RerankResult:
        texts = [candidate.memory.text[:_MAX_TEXT_CHARS] for candidate in candidates[: self._most]]
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
