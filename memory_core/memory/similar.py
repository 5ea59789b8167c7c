"""Finds memories that repeat others: in nearly equal words, by meaning, or derived from them."""

from collections.abc import Collection, Iterable, Sequence
from itertools import chain

import numpy as np

from ..domain.namespaces import Namespace
from ..domain.records import Memory, MemoryKind
from ..providers.embedders.base import Vectors
from ..storage.listing import ListQuery
from ..storage.store import MemoryStore
from ..text.search_terms import terms
from .long_term_memory import LongTermMemory

MAX_SIMILAR = 30
_CANDIDATES = 60
_MAX_DERIVED = 2_000
_SHORTEST_PASSAGE = 2  # terms; one shared word says little
_MIN_SHARE = 0.6  # of the weight of the shorter passage's terms
_COSINE_SPREADS = 4.0  # standard deviations above the cosine of unrelated texts
_LOWEST_COSINE = 0.6
_OTHER_KINDS = frozenset(MemoryKind) - {MemoryKind.EXCHANGE}


def _passages(memory: Memory) -> list[frozenset[str]]:
    """Returns the search terms of each side that has enough of them."""
    found = (frozenset(terms(text)) for text in memory.sides)
    return [passage for passage in found if len(passage) >= _SHORTEST_PASSAGE]


def similar_memories(
    memory: LongTermMemory, namespace: Namespace, ids: Collection[str]
) -> list[Memory]:
    """Returns at most 30 live memories of the namespace that repeat one of these.

    Memories derived from them come first, then those with nearly the same words, then those with
    the same meaning, if vectors are stored.
    """
    with memory.open_namespace(namespace) as opened:
        is_embedded = bool(opened.active_model.model)
        spread = opened.active_model.similarity_baseline() if is_embedded else None
        unrelated = _unrelated_cosines(spread.user) if spread is not None else ()
        found = opened.query(lambda store: _find(store, set(ids), unrelated))
        hidden = opened.hidden_ids()
    return [other for other in found if other.id not in hidden][:MAX_SIMILAR]


def _find(store: MemoryStore, ids: set[str], unrelated: Sequence[float]) -> list[Memory]:
    named = [record.memory for record in store.catalog.get(sorted(ids)).values()]
    others = {other.id: other for other in _derived(store, ids)}
    others |= {other.id: other for one in named for other in _same_words(store, one, ids)}
    if unrelated:
        near = [name for name in _same_meaning(store, ids, unrelated) if name not in others]
        records = store.catalog.get(near)
        others |= {name: records[name].memory for name in near if name in records}
    return [other for name, other in others.items() if name not in ids]


def _derived(store: MemoryStore, ids: Collection[str]) -> Iterable[Memory]:
    notes = store.list_memories(ListQuery(kinds=_OTHER_KINDS, limit=_MAX_DERIVED)).memories
    return (note for note in notes if not set(note.sources).isdisjoint(ids))


def _same_words(store: MemoryStore, memory: Memory, ids: Collection[str]) -> Iterable[Memory]:
    passages = _passages(memory)
    words = set(chain.from_iterable(passages))
    candidates = store.fulltext.search(sorted(words), limit=_CANDIDATES + len(ids))
    records = store.catalog.get([name for name in candidates if name not in ids])
    others = [records[name].memory for name in candidates if name in records]
    sides = {other.id: _passages(other) for other in others}
    known = words.union(*chain.from_iterable(sides.values()))
    corpus = store.fulltext.corpus(known)
    weights = {word: corpus.weight(word) for word in known}
    for other in others:
        if any(_overlap(own, side, weights) for own in passages for side in sides[other.id]):
            yield other


def _overlap(one: frozenset[str], other: frozenset[str], weights: dict[str, float]) -> bool:
    """Returns whether the shorter passage is mostly contained in the other one."""
    shared = one & other
    if len(shared) < _SHORTEST_PASSAGE:
        return False
    least = min(_weight(one, weights), _weight(other, weights))
    return _weight(shared, weights) >= _MIN_SHARE * least


def _weight(words: Iterable[str], weights: dict[str, float]) -> float:
    return sum(weights[word] for word in words)


def _same_meaning(
    store: MemoryStore, ids: Collection[str], unrelated: Sequence[float]
) -> Iterable[str]:
    own = [row for pair in store.vectors.get(ids).values() for row in pair if row is not None]
    least = max(_LOWEST_COSINE, unrelated[0] + _COSINE_SPREADS * unrelated[1])
    for row in own:
        near = store.vectors.search(row, limit=_CANDIDATES)
        pairs = store.vectors.get([name for name in near if name not in ids])
        for name, pair in pairs.items():
            if any(side is not None and float(side @ row) >= least for side in pair):
                yield name


def _unrelated_cosines(sample: Vectors) -> tuple[float, float]:
    """Returns mean and spread of the cosines within a sample of user sides; (0, 0) without one."""
    if len(sample) < 2:
        return 0.0, 0.0
    cosines = (sample @ sample.T)[np.triu_indices(len(sample), k=1)]
    return float(cosines.mean()), float(cosines.std())
