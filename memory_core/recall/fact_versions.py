"""Of several versions of one fact the newest comes first.

Two memories are taken for versions where they share enough words and topics and answer the message
about equally well. Among the best few, being newer counts a little in any case.
"""

from collections.abc import Sequence

from ..infra.lru_cache import memoize
from ..text.search_terms import terms
from ..text.topics import topics
from .results import Candidate

_BEST = 6  # candidates that are looked at
_NEWER = 0.1  # score that the newest of them gains over the oldest
_AS_GOOD = 0.7  # of the older one's score the newer one has at least
_SHARED = 0.13  # of the words and topics of the shorter one
_LEAST_SHARED = 2
_DAY_S = 86_400.0  # what was said in one sitting is no newer version
_LONGEST = 2_000  # letters that are compared
_KEPT_CHARS = 500_000


def newest_first(ordered: Sequence[Candidate]) -> list[Candidate]:
    """Returns the candidates with newer versions moved before older ones; ties stay in order."""
    best, rest = list(ordered[:_BEST]), ordered[_BEST:]
    ages = sorted(it.memory.ts or 0.0 for it in best)
    best.sort(key=lambda it: -it.score - _NEWER * ages.index(it.memory.ts or 0.0) / len(ages))
    for later in range(1, len(best)):
        newer = best[later]
        place = _target_index(newer, best[:later])
        best.insert(place, best.pop(later))
    return [*best, *rest]


def _target_index(newer: Candidate, before: Sequence[Candidate]) -> int:
    """Returns the place of the first older version that it may pass, or its own."""
    place = len(before)
    for at in reversed(range(len(before))):
        if newer.score < _AS_GOOD * before[at].score:
            break
        if _is_newer(newer, before[at]) and _overlap(newer, before[at]):
            place = at
    return place


def _is_newer(newer: Candidate, older: Candidate) -> bool:
    return (newer.memory.ts or 0.0) - (older.memory.ts or 0.0) >= _DAY_S


@memoize(chars=_KEPT_CHARS)
def _names(text: str) -> frozenset[str]:
    """The words and topics that a text names."""
    return frozenset((*terms(text), *topics(text)))


def _overlap(left: Candidate, right: Candidate) -> bool:
    one, other = (_names(it.memory.text[:_LONGEST]) for it in (left, right))
    return len(one & other) >= max(_LEAST_SHARED, _SHARED * min(len(one), len(other)))
