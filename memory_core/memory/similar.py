"""Finds memories that repeat others: in nearly equal words, by meaning, or derived from them."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
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


@dataclass(frozen=True, slots=True, kw_only=True)
class _Passage:
    """One side of a memory as its search terms."""

    terms: frozenset[str]
    is_answer: bool = False

    @classmethod
    def sides_of(cls, memory: Memory) -> "list[_Passage]":
        exchange = memory.exchange
        texts = (exchange.user, exchange.assistant) if exchange else (memory.text,)
        found = (
            cls(terms=frozenset(terms(text)), is_answer=bool(side))
            for side, text in enumerate(texts)
        )
        return [passage for passage in found if len(passage.terms) >= _SHORTEST_PASSAGE]


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
        near = [name for name in _same_meaning(store, named, ids, unrelated) if name not in others]
        records = store.catalog.get(near)
        others |= {name: records[name].memory for name in near if name in records}
    return [other for name, other in others.items() if name not in ids]


def _derived(store: MemoryStore, ids: Collection[str]) -> Iterable[Memory]:
    notes = store.list_memories(ListQuery(kinds=_OTHER_KINDS, limit=_MAX_DERIVED)).memories
    return (note for note in notes if not set(note.sources).isdisjoint(ids))


def _same_words(store: MemoryStore, memory: Memory, ids: Collection[str]) -> Iterable[Memory]:
    passages = _Passage.sides_of(memory)
    words = set(chain.from_iterable(passage.terms for passage in passages))
    candidates = store.fulltext.search(sorted(words), limit=_CANDIDATES + len(ids))
    records = store.catalog.get([name for name in candidates if name not in ids])
    others = [records[name].memory for name in candidates if name in records]
    known = words.union(*(side.terms for other in others for side in _Passage.sides_of(other)))
    corpus = store.fulltext.corpus(known)
    weights = {word: corpus.weight(word) for word in known}
    for other in others:
        if any(
            _overlap(own, side, weights) for own in passages for side in _Passage.sides_of(other)
        ):
            yield other


def _overlap(one: _Passage, other: _Passage, weights: dict[str, float]) -> bool:
    """Returns whether the shorter passage is mostly contained in the other one.

    Two answers never count: a character says "I will keep that in mind" to anything.
    """
    if one.is_answer and other.is_answer:
        return False
    shared = one.terms & other.terms
    if len(shared) < _SHORTEST_PASSAGE:
        return False
    least = min(_weight(one.terms, weights), _weight(other.terms, weights))
    return _weight(shared, weights) >= _MIN_SHARE * least


def _weight(words: Iterable[str], weights: dict[str, float]) -> float:
    return sum(weights[word] for word in words)


def _same_meaning(
    store: MemoryStore, named: Sequence[Memory], ids: Collection[str], unrelated: Sequence[float]
) -> Iterable[str]:
    least = max(_LOWEST_COSINE, unrelated[0] + _COSINE_SPREADS * unrelated[1])
    pairs = store.vectors.get([memory.id for memory in named])
    for memory in named:
        user, answer = pairs.get(memory.id, (None, None))
        if user is not None:
            yield from _near(store, user, ids, least=least)
        is_long = any(side.is_answer for side in _Passage.sides_of(memory))
        if answer is not None and is_long:  # a short answer fits anything
            yield from _near(store, answer, ids, least=least, sides=1)


def _near(
    store: MemoryStore, row: Vectors, ids: Collection[str], *, least: float, sides: int = 2
) -> Iterable[str]:
    """Yields the memories of which one of the first `sides` has at least this cosine."""
    near = store.vectors.search(row, limit=_CANDIDATES)
    for name, pair in store.vectors.get([name for name in near if name not in ids]).items():
        if any(side is not None and float(side @ row) >= least for side in pair[:sides]):
            yield name


def _unrelated_cosines(sample: Vectors) -> tuple[float, float]:
    """Returns mean and spread of the cosines within a sample of user sides; (0, 0) without one."""
    if len(sample) < 2:
        return 0.0, 0.0
    cosines = (sample @ sample.T)[np.triu_indices(len(sample), k=1)]
    return float(cosines.mean()), float(cosines.std())
