"""Drops candidates that no word, topic, date or meaning of their own brought in.

A passage also scores by the words of its neighbours and of its session: "In the front pocket" may
answer what the exchange before it asks. Such a score is lent. A candidate with a lent score stays
as a short line if it has something to tell.
"""

from collections.abc import Container, Iterable, Sequence

from .results import Candidate, Dropped, DropReason
from .word_content import says_little

# With less of its own than both of these, a candidate's score is lent.
_OF_THE_BEST, _OF_ITS_SCORE = 0.15, 0.5
_SAYS_LITTLE = "only its neighbours fit, and it says little itself"


def drop_lent(
    ordered: Sequence[Candidate], *, exempt: Container[str]
) -> tuple[list[Candidate], list[Dropped]]:
    """Splits off candidates whose score is lent and that say little.

    The first candidate stays, and so do memories in `exempt`.
    """
    best = best_score(ordered)
    kept: list[Candidate] = []
    dropped: list[Dropped] = []
    for index, candidate in enumerate(ordered):
        may_go = index > 0 and candidate.memory.id not in exempt
        if may_go and is_lent(candidate, best) and says_little(candidate.memory):
            found = Dropped(candidate=candidate, reason=DropReason.GATE, detail=_SAYS_LITTLE)
            dropped.append(found)
        else:
            kept.append(candidate)
    return kept, dropped


def best_score(candidates: Iterable[Candidate]) -> float:
    return max((candidate.score for candidate in candidates), default=0.0)


def is_lent(candidate: Candidate, best: float) -> bool:
    """Returns whether hardly any of a score is the candidate's own; `best` is the best score."""
    own = candidate.own_score
    return own is not None and own < min(_OF_THE_BEST * best, _OF_ITS_SCORE * candidate.score)
