"""Decides how many memories a message gets: none, a few short lines, or all that fit."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import Enum, auto
from typing import Protocol

from ..text.requests import asks_for_a_style, gives_text_to_work_on
from ..text.subject_changes import asks_to_change_the_subject
from .certainty import certainty, score_of_dates, scores_without_date
from .overview import OVERVIEW
from .query import Query
from .results import Candidate, Dropped, DropReason
from .uninformative import is_too_short, without_short_sides

_GOOD_FIT = 0.8  # score of a memory that shares words and meaning, or the day, with the message
_MIN_DATE = 0.2  # score for a date; a memory said 16 days off has it


class RecallAmount(Enum):
    """The amount to inject. FEW means no replay, and at most three lines, in short form."""

    NOTHING = auto()
    FEW = auto()
    FULL = auto()


@dataclass(frozen=True, slots=True, kw_only=True)
class GateDecision:
    """The candidates that passed, best first, and those that did not.

    `fault` says why a gate could not judge. `need` is the probability, 0 … 1, that the message
    wants a memory, or None if not estimated. `sticky` has the ids of kept candidates that are not
    direct hits: an earlier message recalled them. `is_by_score`: scores were compared with the
    best, so candidates whose score comes from their neighbours may be dropped later.
    """

    kept: tuple[Candidate, ...]
    dropped: tuple[Dropped, ...] = ()
    fault: str = ""
    need: float | None = None
    amount: RecallAmount = RecallAmount.FULL
    sticky: frozenset[str] = frozenset()
    is_by_score: bool = False


class Gate(Protocol):
    def keep(self, query: Query, candidates: Sequence[Candidate]) -> GateDecision: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoreGate:
    """Keeps candidates by score, if the message seems to want a memory at all.

    The gate opens a little from `min_need` on (certainty.py, 0 … 1) and fully from `full_need` on,
    but not for news of a day that no memory fits.
    A candidate needs `min_score`, and at least `min_share` of the best score. Memories that an
    earlier message recalled come behind the direct hits.
    `max_cosine_distance` works as in long_term_memory: 1 - cosine must be below it. A memory
    without a vector passes. Sides of an exchange shorter than `min_letters` are removed.
    """

    min_score: float
    min_letters: int
    min_need: float = 0.0
    full_need: float = 0.0
    min_share: float = 0.0
    max_cosine_distance: float | None = None

    def keep(self, query: Query, candidates: Sequence[Candidate]) -> GateDecision:
        need = _need(query, candidates)
        amount = self._amount(need)
        if need is not None and amount is RecallAmount.NOTHING:
            detail = f"the message seems to need no memory ({describe_below(need, self.min_need)})"
            return _keep_none(candidates, detail, need)
        if _asks_about_another_day(query, candidates):
            return _keep_none(candidates, "it does not tell of this day, or of one near it", need)
        scores = scores_without_date(candidates, query)
        if need is not None and self.full_need > 0.0 and _tells_of_a_day(query, candidates):
            amount = RecallAmount.FEW
        min_score = max(self.min_score, self.min_share * max(scores, default=0.0))
        has_limits = self.min_letters > 1 or self.max_cosine_distance is not None
        judged = [
            (
                candidate,
                f"score {describe_below(score, min_score)}"
                if score < min_score
                else (self._drop_detail(candidate) if has_limits else ""),
            )
            for candidate, score in zip(candidates, scores, strict=True)
        ]
        direct = [candidate for candidate, objection in judged if not objection]
        sticky = [
            candidate
            for candidate, objection in judged
            if objection and candidate.carried_over > 0.0 and self._may_stay(candidate, min_score)
        ]
        sticky_ids = frozenset([candidate.memory.id for candidate in sticky])
        dropped = tuple(
            _dropped(candidate, objection)
            for candidate, objection in judged
            if objection and candidate.memory.id not in sticky_ids
        )
        kept = [*direct, *sticky]
        if self.min_letters > 1:
            kept = [self._without_short_sides(candidate) for candidate in kept]
        return GateDecision(
            kept=tuple(kept),
            dropped=dropped,
            need=need,
            amount=amount,
            sticky=sticky_ids,
            is_by_score=self.min_share > 0.0,
        )

    def _amount(self, need: float | None) -> RecallAmount:
        if need is None or need >= max(self.min_need, self.full_need):
            return RecallAmount.FULL
        return RecallAmount.FEW if need >= self.min_need else RecallAmount.NOTHING

    def _may_stay(self, candidate: Candidate, min_score: float) -> bool:
        return candidate.carried_over >= min_score and not self._drop_detail(candidate)

    def _drop_detail(self, candidate: Candidate) -> str:
        """Returns the reason to drop a candidate whatever its score, or ""."""
        if self.min_letters > 1 and is_too_short(candidate.memory, self.min_letters):
            return f"shorter than {self.min_letters} letters"
        return "" if self.max_cosine_distance is None else self._distance_detail(candidate)

    def _without_short_sides(self, candidate: Candidate) -> Candidate:
        memory = without_short_sides(candidate.memory, self.min_letters)
        return candidate if memory is candidate.memory else replace(candidate, memory=memory)

    def _distance_detail(self, candidate: Candidate) -> str:
        cosine = candidate.cosine
        if self.max_cosine_distance is None or cosine is None:
            return ""
        distance = 1.0 - cosine
        if distance < self.max_cosine_distance:
            return ""
        return f"cosine distance {distance:.2f} is not below {self.max_cosine_distance:.2f}"


def _keep_none(candidates: Sequence[Candidate], detail: str, need: float | None) -> GateDecision:
    dropped = tuple(_dropped(candidate, detail) for candidate in candidates)
    return GateDecision(kept=(), dropped=dropped, need=need, amount=RecallAmount.NOTHING)


def _asks_about_another_day(query: Query, candidates: Sequence[Candidate]) -> bool:
    """Returns whether the message only asks about a day of which no candidate tells.

    By its wording alone, "Have I anything on the 3rd?" would get any memories.
    """
    found = query.need_features
    if found is None or found.found or found.trust or query.is_explicit_request:
        return False
    nearest = max(map(score_of_dates, candidates), default=0.0)
    is_overview = any(OVERVIEW in candidate.parts for candidate in candidates)
    return query.is_about_a_date and nearest < _MIN_DATE and not is_overview


def _tells_of_a_day(query: Query, candidates: Sequence[Candidate]) -> bool:
    """Returns whether the message is news of a day, and no memory fits it well.

    "My dentist appointment is on the 3rd at 10:15" is worded like a question for a date, and would
    get ten memories.
    """
    is_told = query.names_a_day and not (query.asks or query.is_explicit_request)
    return is_told and all(candidate.score < _GOOD_FIT for candidate in candidates)


def _dropped(candidate: Candidate, detail: str) -> Dropped:
    return Dropped(candidate=candidate, reason=DropReason.GATE, detail=detail)


def _need(query: Query, candidates: Sequence[Candidate]) -> float | None:
    if query.is_explicit_request or any([OVERVIEW in one.parts for one in candidates]):
        return 1.0
    if query.need_features is None:
        return None
    needs_none = gives_text_to_work_on, asks_for_a_style, asks_to_change_the_subject
    if any(asks(query.text) for asks in needs_none):
        return 0.0
    # A correction has the score of what it corrects, which would no longer stand out.
    candidates = [candidate for candidate in candidates if not candidate.corrects]
    own = [candidate for candidate in candidates if candidate.memory.derived is None]
    need = certainty(query, query.need_features, own)
    if len(own) == len(candidates):
        return need
    # Derived memories repeat what exchanges say, so no memory would stand out among all of them.
    return max(need, certainty(query, query.need_features, candidates))


def describe_below(value: float, minimum: float) -> str:
    """Returns "0.26 is below 0.27", with enough digits to distinguish the two numbers."""
    for digits in range(2, 7):
        below, bound = f"{value:.{digits}f}", f"{minimum:.{digits}f}"
        if below != bound:
            break
    return f"{below} is below {bound}"
