"""Finds the known observations that new ones may repeat or contradict.

They concern the same person and property, or share words. Stories are only compared with stories.
"""

from collections.abc import Iterable, Iterator, Sequence

from ..domain.derivations import Flag
from ..domain.records import Memory, MemoryKind
from ..memory.namespace_memory import NamespaceMemory
from ..storage.contract import DerivedFilter, SearchFilter
from ..storage.log.projection import MemoryRecord, MemoryStatus
from ..text.search_terms import terms

OBSERVATIONS = frozenset((MemoryKind.OBSERVATION,))
_SAME_PROPERTY = 2.0
_MIN_SHARED = 2  # words, if the two are about different people
_MAX_BY_WORDS = 24


def similar_facts(
    opened: NamespaceMemory, new: Sequence[MemoryRecord], *, limit: int
) -> list[MemoryRecord]:
    """Returns at most `limit` observations written before the new ones, likeliest first.

    Later ones are excluded, so that two observations are compared only once.
    """
    scores: dict[str, tuple[float, float, str]] = {}
    for entry in new:
        for other in _candidates(opened, entry.memory):
            likeness = _likeness(entry.memory, other)
            if likeness > scores.get(other.id, (0.0,))[0]:
                scores[other.id] = likeness, other.ts or 0.0, other.text
    own, last_seq = {entry.memory.id for entry in new}, max(entry.seq for entry in new)
    earlier = SearchFilter(until_seq=last_seq)
    ids = set(opened.query(lambda store: store.catalog.live_seqs(list(scores), earlier))) - own
    best = sorted(ids, key=lambda one: scores[one], reverse=True)[:limit]
    records = opened.records(best)
    live = (records[one] for one in best if one in records)
    return [entry for entry in live if entry.status is MemoryStatus.LIVE]


def is_open(memory: Memory) -> bool:
    """Returns whether this is an observation that nothing has replaced."""
    derived = memory.derived
    return memory.kind in OBSERVATIONS and (derived is None or not derived.superseded_by)


def key_of(memory: Memory) -> str:
    return memory.derived.key.casefold() if memory.derived else ""


def _candidates(opened: NamespaceMemory, memory: Memory) -> Iterator[Memory]:
    """Yields open observations with the same flag, about the same person or in similar words."""
    same = DerivedFilter(kinds=OBSERVATIONS, subject=_subject(memory))
    found = opened.find_derived(same)
    for other in (*found, *_by_words(opened, memory)):
        if is_open(other) and _flag(other) == _flag(memory) and other.id != memory.id:
            yield other


def _by_words(opened: NamespaceMemory, memory: Memory) -> Iterable[Memory]:
    only, words = SearchFilter(kinds=OBSERVATIONS), sorted(_words(memory))
    ids = opened.query(lambda store: store.fulltext.search(words, limit=_MAX_BY_WORDS, only=only))
    return [record.memory for record in opened.records(ids).values()]


def _likeness(memory: Memory, other: Memory) -> float:
    """Returns 2 for the same property of the same person, and up to 1 for shared words."""
    mine, theirs = _words(memory), _words(other)
    shared = mine & theirs
    if _subject(memory).casefold() != _subject(other).casefold():
        return len(shared) / min(len(mine), len(theirs)) if len(shared) >= _MIN_SHARED else 0.0
    is_same_property = bool(key_of(memory)) and key_of(memory) == key_of(other)
    return _SAME_PROPERTY * is_same_property + len(shared) / max(1, min(len(mine), len(theirs)))


def _words(memory: Memory) -> set[str]:
    """Returns the search terms of a text, without the name of the person."""
    return set(terms(memory.text)) - set(terms(_subject(memory)))


def _subject(memory: Memory) -> str:
    return memory.derived.subject if memory.derived else ""


def _flag(memory: Memory) -> Flag | None:
    return memory.derived.flag if memory.derived else None
