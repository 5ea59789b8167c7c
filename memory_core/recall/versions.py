"""Of several versions of one fact the newest comes first.

Two memories are taken for versions where they share enough words and topics and answer the message
about equally well. Among the best few, being newer counts a little in any case.
"""

from collections.abc import Sequence

from ..records import Candidate
from ..terms import terms
from ..text.topics import topics

_BEST = 6  # candidates that are looked at
_NEWER = 0.1  # score that the newest of them gains over the oldest
_AS_GOOD = 0.7  # of the older one's score the newer one has at least
_SHARED = 0.13  # of the words and topics of the shorter one
_LONGEST = 2_000  # letters that are compared


def newest_first(ordered: Sequence[Candidate]) -> list[Candidate]:
    """Returns the candidates with newer versions moved before older ones; ties stay in order."""
    best, rest = list(ordered[:_BEST]), ordered[_BEST:]
    ages = sorted(it.memory.ts or 0.0 for it in best)
    scores = [it.score + _NEWER * ages.index(it.memory.ts or 0.0) / len(best) for it in best]
    ranked = sorted(range(len(best)), key=lambda at: -scores[at])
    names = [_names(best[at]) for at in ranked]
    found = list(range(len(ranked)))
    for place in range(len(found)):
        for later in range(place + 1, len(found)):
            older, newer = (best[ranked[found[it]]] for it in (place, later))
            if _is_newer(newer, older) and _overlap(names[found[place]], names[found[later]]):
                found.insert(place, found.pop(later))
    return [*(best[ranked[at]] for at in found), *rest]


def _is_newer(newer: Candidate, older: Candidate) -> bool:
    is_later = (newer.memory.ts or 0.0) > (older.memory.ts or 0.0)
    return is_later and newer.score >= _AS_GOOD * older.score


def _names(candidate: Candidate) -> frozenset[str]:
    text = candidate.memory.text[:_LONGEST]
    return frozenset((*terms(text), *topics(text)))


def _overlap(left: frozenset[str], right: frozenset[str]) -> bool:
    shortest = min(len(left), len(right))
    return shortest > 0 and len(left & right) >= _SHARED * shortest
