"""Recalls memories that were made of others, together with the memories they were made of.

    score = weight of its kind · (own score + score of its best source) / 2

A derived memory says briefly what its sources say at length, so both matches together show better
whether it answers the message. The weights are settings (recall.observation_weight and others).
Candidates are compared with their sources: shown, outdated, repeated.

A derived memory names its successor: it is superseded as long as any memory in the chain of its
replacements is live. If the newer one is forgotten, the older one holds again. A memory that
replaced an outdated one fits at least as well: "Ana moved to Lisbon" has no word of "Where do I
live?", but it replaced "Ana lives in Porto".
"""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Protocol

import numpy as np

from ..domain.records import EMPTY_MAPPING, Memory, MemoryKind
from ..storage.contract import Catalog, DerivedFilter, FullTextIndex, PassageColumns, Table
from ..storage.log.projection import MemoryRecord, MemoryStatus
from .query import Query
from .results import Candidate

KindWeights = Mapping[MemoryKind, float]
EVEN_WEIGHTS: KindWeights = MappingProxyType({})
_USER_SIDE, _OTHER_SIDE = 0, 1  # a derived memory has all its text on the user's side
_MAX_CHAIN = 100  # records; a longer chain is damaged
_FEW_SOURCES = 3  # a memory of more sources is an overview, which replaces none of them


class GetRecords(Protocol):
    """Returns the known records among these ids, whatever their status."""

    def __call__(self, ids: Sequence[str], /) -> Mapping[str, MemoryRecord]: ...


def outdated_ids(get: GetRecords, memories: Iterable[Memory], now: float | None) -> frozenset[str]:
    """Returns the ids of the memories that no longer hold at `now` (seconds since the epoch)."""
    return frozenset(memory.id for memory in memories if _is_outdated(get, memory, now))


def those_that_hold(get: GetRecords, memories: list[Memory], now: float) -> list[Memory]:
    """Returns the memories without those that no longer hold, and without fiction."""
    derived = [memory for memory in memories if memory.derived is not None]
    if not derived:
        return memories
    outdated = outdated_ids(get, derived, now)
    real = (one for one in memories if one.derived is None or one.derived.flag is None)
    return [memory for memory in real if memory.id not in outdated]


def _is_outdated(get: GetRecords, memory: Memory, now: float | None) -> bool:
    if memory.derived is None:
        return False
    if memory.derived.superseded_by:
        return is_superseded(get, memory)
    return now is not None and memory.derived.has_ended(now)


def is_superseded(get: GetRecords, memory: Memory) -> bool:
    """Returns whether a newer memory that is live replaced this one."""
    chain = (record for record in superseding(get, memory))
    return any(record.status is MemoryStatus.LIVE for record in chain)


def superseding(get: GetRecords, memory: Memory) -> list[MemoryRecord]:
    """Returns the chain of records that replaced this memory, the direct successor first."""
    found: dict[str, MemoryRecord] = {}
    while (newer := _successor(memory)) and newer not in found and len(found) < _MAX_CHAIN:
        record = get([newer]).get(newer)
        if record is None:
            break
        found[newer], memory = record, record.memory
    return list(found.values())


def _successor(memory: Memory) -> str:
    return memory.derived.superseded_by if memory.derived else ""


@dataclass(frozen=True, slots=True, kw_only=True)
class DerivedHits:
    """The derived memories among a search's hits, by id.

    `outdated` are those that no longer hold. `replaces` maps each memory that holds instead to the
    outdated ones that it replaced. A kind without a weight counts like an exchange.
    """

    memories: Mapping[str, Memory] = field(default_factory=lambda: EMPTY_MAPPING)
    outdated: frozenset[str] = frozenset()
    replaces: Mapping[str, Sequence[str]] = field(default_factory=lambda: EMPTY_MAPPING)
    weights: KindWeights = field(default_factory=lambda: EVEN_WEIGHTS)

    @property
    def source_ids(self) -> list[str]:
        sources = (source for memory in self.memories.values() for source in memory.sources)
        return list(dict.fromkeys(sources))

    def addressed_side(self, query: Query, memory_id: str) -> int | None:
        """Returns the side that the query asks about: the other one if it asks about another."""
        derived = self.memories[memory_id].derived
        if derived is None or not derived.is_about_speaker or query.addressed_speaker is None:
            return None
        asked = query.names[query.addressed_speaker].casefold()
        return _USER_SIDE if derived.subject.casefold() == asked else _OTHER_SIDE

    def adjustments(self, ids: Sequence[str], scores: Table) -> Table:
        """Returns what to add to the passages' own scores, shape (n,)."""
        index = {memory_id: position for position, memory_id in enumerate(ids)}
        added = np.zeros(len(ids))
        for memory_id, memory in self.memories.items():
            if memory_id in index:
                own = float(scores[index[memory_id]])
                sources = [float(scores[index[name]]) for name in memory.sources if name in index]
                if memory_id in self.replaces or not sources:
                    sources.append(own)
                shared = (own + max(sources)) / 2
                added[index[memory_id]] = self.weights.get(memory.kind, 1.0) * shared - own
        return added

    def with_replaced(self, ids: Sequence[str], scores: Table) -> Table:
        """Returns the scores; a memory has at least that of each one that it replaced."""
        index = {memory_id: position for position, memory_id in enumerate(ids)}
        lifted = scores.copy()
        for newer, replaced in self.replaces.items():
            known = [scores[index[older]] for older in replaced if older in index]
            if newer in index and known:
                lifted[index[newer]] = max(lifted[index[newer]], *known)
        return lifted

    def outdated_sources(self, ids: Sequence[str], scores: Table) -> frozenset[str]:
        """Returns the sources whose best matching derived memory holds no longer."""
        index = {memory_id: position for position, memory_id in enumerate(ids)}
        best: dict[str, tuple[float, bool]] = {}
        for memory_id, memory in self.memories.items():
            if memory_id in index:
                match = float(scores[index[memory_id]]), memory_id not in self.outdated
                for source in memory.sources:
                    best[source] = max(best.get(source, match), match)
        return frozenset(source for source, (_, is_valid) in best.items() if not is_valid)


NO_DERIVED = DerivedHits()


def find_derived_hits(
    catalog: Catalog, query: Query, found: Sequence[str], weights: KindWeights
) -> DerivedHits:
    """Returns the derived memories among the memories that a search found.

    Includes the replacements of outdated ones, unless the message asks about the past.
    """
    only = DerivedFilter(ids=frozenset(found))
    known = {memory.id: memory for memory in catalog.find_derived(only) if memory.derived}
    if not known:
        return NO_DERIVED
    now = query.now.timestamp() if query.now else None
    outdated = outdated_ids(catalog.get, known.values(), now)
    hits = {memory_id: known[memory_id] for memory_id in found if memory_id in known}
    replaces: dict[str, list[str]] = {}
    for older in () if query.asks_about_the_past else sorted(outdated):
        if (newer := _valid_successor(catalog, known[older], now)) is not None:
            hits.setdefault(newer.id, newer)
            replaces.setdefault(newer.id, []).append(older)
    return DerivedHits(memories=hits, outdated=outdated, replaces=replaces, weights=weights)


def _valid_successor(catalog: Catalog, memory: Memory, now: float | None) -> Memory | None:
    """Returns the last live memory of the chain that replaced this one, if it still holds."""
    chain = (record for record in superseding(catalog.get, memory))
    live = [record.memory for record in chain if record.status is MemoryStatus.LIVE]
    if not live or not live[-1].derived or outdated_ids(catalog.get, live[-1:], now):
        return None
    return live[-1]


def with_sources(
    candidates: Sequence[Candidate],
    fulltext: FullTextIndex,
    passages: PassageColumns,
    outdated_ids: Collection[str],
) -> list[Candidate]:
    """Returns the candidates with the content keys of their sources, and marked if outdated."""
    sources = {name for one in candidates for name in _derived_from(one.memory)}
    fetched = fulltext.live_memories([name for name in passages.ids if name in sources])
    keys = {stored.memory.id: frozenset((stored.key, stored.chat_key)) for stored in fetched}
    return [
        replace(
            one,
            is_outdated=one.memory.id in outdated_ids,
            source_keys=tuple(keys[name] for name in _derived_from(one.memory) if name in keys),
        )
        for one in candidates
    ]


def is_wholly_shown(candidate: Candidate, query: Query) -> bool:
    """Returns whether the prompt shows all the memories that the candidate was made of."""
    shown = query.shown_keys
    return bool(candidate.source_keys) and all(
        not shown.isdisjoint(keys) for keys in candidate.source_keys
    )


def has_stale_source(candidate: Candidate, query: Query) -> bool:
    return not query.stale_ids.isdisjoint(_derived_from(candidate.memory))


class Overlap:
    """Recognises memories that repeat a better one: its source, or a memory derived from it."""

    def __init__(self) -> None:
        self._kept: set[str] = set()
        self._replaced: set[str] = set()

    def repeats(self, memory: Memory) -> bool:
        """Returns whether a better memory was made of this one, or is one of its few sources."""
        return memory.id in self._replaced or not self._kept.isdisjoint(_few_sources(memory))

    def add(self, memory: Memory) -> None:
        self._kept.add(memory.id)
        self._replaced.update(_few_sources(memory))


def _derived_from(memory: Memory) -> tuple[str, ...]:
    return memory.sources if memory.derived else ()


def _few_sources(memory: Memory) -> tuple[str, ...]:
    sources = _derived_from(memory)
    return sources if len(sources) <= _FEW_SOURCES else ()
