"""The gate decides which candidates deserve a place in the prompt."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from ..records import Candidate, Dropped, DropReason
from .need import need
from .query import Query
from .short import is_too_short, without_short_sides

_DATES = ("said_at", "happened_at")


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """What passed, best first, and what did not. `fault` says why a gate could not judge, `need`
    how surely the message wants a memory, 0 … 1, where that was judged.
    """

    kept: tuple[Candidate, ...]
    dropped: tuple[Dropped, ...] = ()
    fault: str = ""
    need: float | None = None


class Gate(Protocol):
    def keep(self, query: Query, candidates: Sequence[Candidate]) -> Verdict: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoreGate:
    """Opens for messages that want a memory by at least `min_need` (need.py, 0 … 1), then keeps
    what reaches `min_score` and `min_share` of the best score, and is near enough where a distance
    is set.

    What an earlier message lends a score stays eligible. `max_cosine_distance` is
    long_term_memory's: 1 - cosine has to be below it; where no vector is at hand it cannot be
    judged and does not count. Of an exchange only the sides with `min_letters` are kept.
    """

    min_score: float
    min_letters: int
    min_need: float = 0.0
    min_share: float = 0.0
    max_cosine_distance: float | None = None

    def keep(self, query: Query, candidates: Sequence[Candidate]) -> Verdict:
        wanted = _need(query)
        closed = self._closed(wanted)
        scores = [_score(it, query) for it in candidates]
        least = max(self.min_score, self.min_share * max(scores, default=0.0))
        judged = [
            (it, self._objection(it, max(score, it.lent), least, closed))
            for it, score in zip(candidates, scores, strict=True)
        ]
        return Verdict(
            kept=tuple(self._heard(candidate) for candidate, objection in judged if not objection),
            dropped=tuple(
                Dropped(candidate=candidate, reason=DropReason.GATE, detail=objection)
                for candidate, objection in judged
                if objection
            ),
            need=wanted,
        )

    def _closed(self, wanted: float | None) -> str:
        """Why no memory is wanted, if so."""
        if wanted is None or wanted >= self.min_need:
            return ""
        return f"the message seems to want no memory ({wanted:.2f} is below {self.min_need:.2f})"

    def _objection(self, candidate: Candidate, score: float, least: float, closed: str) -> str:
        if closed and not candidate.lent:
            return closed
        if score < least:
            return f"score {score:.2f} is below {least:.2f}"
        return self._too_short(candidate) or self._too_far(candidate)

    def _heard(self, candidate: Candidate) -> Candidate:
        memory = without_short_sides(candidate.memory, self.min_letters)
        return candidate if memory is candidate.memory else replace(candidate, memory=memory)

    def _too_short(self, candidate: Candidate) -> str:
        is_short = is_too_short(candidate.memory, self.min_letters)
        return f"shorter than {self.min_letters} letters" if is_short else ""

    def _too_far(self, candidate: Candidate) -> str:
        cosine = candidate.cosine
        if self.max_cosine_distance is None or cosine is None:
            return ""
        distance = 1.0 - cosine
        if distance < self.max_cosine_distance:
            return ""
        return f"cosine distance {distance:.2f} is not below {self.max_cosine_distance:.2f}"


def _need(query: Query) -> float | None:
    if query.is_wanted:
        return 1.0
    return need(query.text, query.evidence) if query.evidence else None


def _score(candidate: Candidate, query: Query) -> float:
    """That it was said then is no reason by itself, unless the message asks for a time."""
    if query.asks_for_a_time:
        return candidate.score
    return candidate.score - sum(candidate.parts.get(it, 0.0) for it in _DATES)
