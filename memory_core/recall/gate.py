"""The gate decides how much a message gets: nothing, a few short lines, or everything that fits."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import Enum, auto
from typing import Protocol

from .certainty import certainty, score_without_date
from .query import Query
from .results import Candidate, Dropped, DropReason
from .too_short import is_too_short, without_short_sides


class RecallAmount(Enum):
    """How much is injected. FEW: no replay and half of the lines, short ones."""

    NOTHING = auto()
    FEW = auto()
    FULL = auto()


@dataclass(frozen=True, slots=True, kw_only=True)
class GateDecision:
    """What passed, best first, and what did not. `fault` says why a gate could not judge, `need`
    how surely the message wants a memory, 0 … 1, where that was judged. Those of `kept` that are
    in `sticky` are no direct hits: an earlier message recalled them.
    """

    kept: tuple[Candidate, ...]
    dropped: tuple[Dropped, ...] = ()
    fault: str = ""
    need: float | None = None
    amount: RecallAmount = RecallAmount.FULL
    sticky: frozenset[str] = frozenset()


class Gate(Protocol):
    def keep(self, query: Query, candidates: Sequence[Candidate]) -> GateDecision: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoreGate:
    """Opens for messages that want a memory by at least `min_need` (certainty.py, 0 … 1), and
    wholly from `full_need` on. Then it keeps what reaches `min_score` and `min_share` of the best
    score, and is near enough where a distance is set.

    A memory that an earlier message recalled comes behind the direct hits where the gate is open.
    `max_cosine_distance` is long_term_memory's: 1 - cosine has to be below it; a memory without a
    vector passes. Of an exchange only the sides with `min_letters` are kept.
    """

    min_score: float
    min_letters: int
    min_need: float = 0.0
    full_need: float = 0.0
    min_share: float = 0.0
    max_cosine_distance: float | None = None

    def keep(self, query: Query, candidates: Sequence[Candidate]) -> GateDecision:
        wanted = _need(query, candidates)
        if (amount := self._amount(wanted)) is RecallAmount.NOTHING:
            detail = f"the message seems to want no memory ({wanted:.2f} of {self.min_need:.2f})"
            dropped = tuple(_dropped(it, detail) for it in candidates)
            return GateDecision(kept=(), dropped=dropped, need=wanted, amount=amount)
        scores = [score_without_date(it, query) for it in candidates]
        least = max(self.min_score, self.min_share * max(scores, default=0.0))
        judged = [
            (it, self._drop_reason(it, score, least))
            for it, score in zip(candidates, scores, strict=True)
        ]
        direct = [it for it, objection in judged if not objection]
        sticky = [it for it, objection in judged if objection and self._may_stay(it, least)]
        stays = frozenset(it.memory.id for it in sticky)
        dropped = tuple(
            _dropped(it, objection)
            for it, objection in judged
            if objection and it.memory.id not in stays
        )
        return GateDecision(
            kept=tuple(self._without_short_sides(it) for it in (*direct, *sticky)),
            dropped=dropped,
            need=wanted,
            amount=amount,
            sticky=stays,
        )

    def _amount(self, wanted: float | None) -> RecallAmount:
        if wanted is None or wanted >= max(self.min_need, self.full_need):
            return RecallAmount.FULL
        return RecallAmount.FEW if wanted >= self.min_need else RecallAmount.NOTHING

    def _may_stay(self, candidate: Candidate, least: float) -> bool:
        fits = not (self._too_short(candidate) or self._too_far(candidate))
        return fits and candidate.carried_over > 0.0 and candidate.carried_over >= least

    def _drop_reason(self, candidate: Candidate, score: float, least: float) -> str:
        if score < least:
            return f"score {score:.2f} is below {least:.2f}"
        return self._too_short(candidate) or self._too_far(candidate)

    def _without_short_sides(self, candidate: Candidate) -> Candidate:
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


def _dropped(candidate: Candidate, detail: str) -> Dropped:
    return Dropped(candidate=candidate, reason=DropReason.GATE, detail=detail)


def _need(query: Query, candidates: Sequence[Candidate]) -> float | None:
    if query.is_explicit_request:
        return 1.0
    if query.need_features is None:
        return None
    return certainty(query, query.need_features, candidates)
