"""Drops candidates that no word, topic, date or meaning of their own brought in.

A passage also scores by the words of its neighbours and of its session: "In the front pocket" may
answer what the exchange before it asks. Such a score is lent. A candidate with a lent score stays
if it has something to tell, stands near the best, and would have had a place anyway.
"""

from collections.abc import Container, Iterable, Sequence

from .results import Candidate, Dropped, DropReason
from .word_content import says_little

# With less of its own than both of these, a candidate's score is lent.
_OF_THE_BEST, _OF_ITS_SCORE = 0.15, 0.5
_LEAST_LENT = 0.25  # of the best score
_SAYS_LITTLE = "only its neighbours fit, and it says little itself"
_IS_FAR = "only its neighbours fit, and its score is far below the best"
_IS_LATE = "only its neighbours fit, and better memories take the places"


def drop_lent(
    ordered: Sequence[Candidate], *, places: int, exempt: Container[str]
) -> tuple[list[Candidate], list[Dropped]]:
    """Splits off candidates whose score is lent and that do not earn a line.

    `places` is the number of memories that will be recalled. The first candidate stays, and so do
    memories in `exempt`.
    """
    best = best_score(ordered)
    kept: list[Candidate] = []
    dropped: list[Dropped] = []
    for index, candidate in enumerate(ordered):
        may_go = index > 0 and candidate.memory.id not in exempt
        detail = _IS_LATE if index >= places else _objection(candidate, best)
        if may_go and detail and is_lent(candidate, best):
            dropped.append(Dropped(candidate=candidate, reason=DropReason.GATE, detail=detail))
        else:
            kept.append(candidate)
    return kept, dropped


def best_score(candidates: Iterable[Candidate]) -> float:
    return max((candidate.score for candidate in candidates), default=0.0)


def is_lent(candidate: Candidate, best: float) -> bool:
    """Returns whether hardly any of a score is the candidate's own; `best` is the best score."""
    own = candidate.own_score
    return own is not None and own < min(_OF_THE_BEST * best, _OF_ITS_SCORE * candidate.score)


def _objection(candidate: Candidate, best: float) -> str:
    if candidate.score < _LEAST_LENT * best:
        return _IS_FAR
    return _SAYS_LITTLE if says_little(candidate.memory) else ""
