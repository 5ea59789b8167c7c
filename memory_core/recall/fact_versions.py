"""Moves the newest version of a fact before the older ones.

Two memories count as versions of one fact if they share enough words and topics and score about
equally. Among the best few, a newer memory also gains a small bonus.
"""

from collections.abc import Sequence

from ..infra.lru_cache import memoize
from ..text.search_terms import terms
from ..text.topics import topics
from .results import Candidate

_COMPARED = 6  # candidates that are compared
_NEWNESS_BONUS = 0.1  # score bonus of the newest over the oldest
_MIN_SCORE_RATIO = 0.7  # of the older version's score; the newer one needs at least this
_MIN_SHARED_RATIO = 0.13  # of the words and topics of the shorter text
_MIN_SHARED_TERMS = 2
_DAY_S = 86_400.0  # messages of one session are not versions of each other
_MAX_CHARS = 2_000  # letters that are compared
_CACHE_CHARS = 500_000


def newest_first(ordered: Sequence[Candidate]) -> list[Candidate]:
    """Returns the candidates with newer versions before older ones; ties keep their order."""
    best, rest = list(ordered[:_COMPARED]), ordered[_COMPARED:]
    ages = sorted(candidate.memory.ts or 0.0 for candidate in best)
    best.sort(
        key=lambda candidate: (
            -candidate.score - _NEWNESS_BONUS * ages.index(candidate.memory.ts or 0.0) / len(ages)
        )
    )
    for later in range(1, len(best)):
        newer = best[later]
        target = _target_index(newer, best[:later])
        best.insert(target, best.pop(later))
    return [*best, *rest]


def _target_index(newer: Candidate, before: Sequence[Candidate]) -> int:
    """Returns the index of the first older version that it may pass, or its own index."""
    target = len(before)
    for index in reversed(range(len(before))):
        if newer.score < _MIN_SCORE_RATIO * before[index].score:
            break
        if _is_newer(newer, before[index]) and _overlap(newer, before[index]):
            target = index
    return target


def _is_newer(newer: Candidate, older: Candidate) -> bool:
    return (newer.memory.ts or 0.0) - (older.memory.ts or 0.0) >= _DAY_S


@memoize(chars=_CACHE_CHARS)
def _terms_and_topics(text: str) -> frozenset[str]:
    """Returns the search terms and topics of a text."""
    return frozenset((*terms(text), *topics(text)))


def _overlap(left: Candidate, right: Candidate) -> bool:
    one, other = (
        _terms_and_topics(candidate.memory.text[:_MAX_CHARS]) for candidate in (left, right)
    )
    return len(one & other) >= max(_MIN_SHARED_TERMS, _MIN_SHARED_RATIO * min(len(one), len(other)))
