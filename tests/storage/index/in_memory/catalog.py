"""The catalog of an in-memory store: every lookup reads all records."""

import math
from collections.abc import Collection, Sequence

from memory_core.domain.records import Memory
from memory_core.storage.contract import (
    NO_FILTER,
    CatalogSummary,
    DerivedFilter,
    RetentionCandidate,
    SearchFilter,
)
from memory_core.storage.listing import SessionQuery, SessionSpan
from memory_core.storage.log.diff import KnownExchange
from memory_core.storage.log.projection import MemoryRecord, MemoryStatus

from .listing import list_sessions
from .records import InMemoryRecords
from .rows import (
    chat_key,
    is_derived_as,
    is_live,
    is_said_or_mentioned_within,
    known_exchange,
    time_of,
)


class InMemoryCatalog:
    """A Catalog for one thread, and a few thousand memories."""

    def __init__(self, records: InMemoryRecords) -> None:
        self._records = records

    def summary(self) -> CatalogSummary:
        states = [entry.status for entry in self._records.entries.values()]
        return CatalogSummary(
            last_applied_seq=self._records.last_applied_seq,
            last_seq=max(self._records.first_seqs.values(), default=0),
            has_forgotten=MemoryStatus.FORGOTTEN in states,
        )

    def live_seqs(self, ids: Collection[str], only: SearchFilter = NO_FILTER) -> dict[str, int]:
        allowed = [memory.id for memory in self._records.live(only) if memory.id in ids]
        return {memory_id: self._records.entries[memory_id].seq for memory_id in allowed}

    def get(self, ids: Sequence[str]) -> dict[str, MemoryRecord]:
        known = self._records.entries
        return {memory_id: known[memory_id] for memory_id in ids if memory_id in known}

    def known_exchanges(self, conversation: str) -> list[KnownExchange]:
        return [known_exchange(entry, conversation) for entry in self._records.shown(conversation)]

    def conversation(self, conversation: str, limit: int) -> list[Memory]:
        live = [entry.memory for entry in self._records.shown(conversation) if is_live(entry)]
        return live[max(0, len(live) - limit) :]

    def exchanges_by_content(self, keys: Collection[str]) -> list[tuple[str, MemoryRecord]]:
        exchanges = (entry for entry in self._records.entries.values() if entry.chat is not None)
        found = [(chat_key(entry), entry) for entry in exchanges if chat_key(entry) in keys]
        return sorted(found, key=lambda pair: self._records.seq(pair[1]))

    def last_position(self, conversation: str) -> float:
        shown = self._records.shown(conversation)
        return max((entry.positions[conversation] for entry in shown), default=0.0)

    def ids_by_content(self, keys: Collection[str]) -> list[str]:
        with_text = (entry for entry in self._records.entries.values() if entry.memory.text)
        known = (entry for entry in with_text if entry.status is not MemoryStatus.FORGOTTEN)
        return [entry.memory.id for entry in known if entry.memory.key in keys]

    def list_sessions(self, query: SessionQuery) -> list[SessionSpan]:
        return list_sessions(self._records.live_entries(), query)

    def always_in_prompt(self) -> list[Memory]:
        return [memory for memory in self._records.live() if memory.is_always_in_prompt]

    def find_derived(self, only: DerivedFilter) -> list[Memory]:
        return [memory for memory in self._records.live() if is_derived_as(memory, only)]

    def forgotten(self) -> list[MemoryRecord]:
        with_text = (entry for entry in self._records.entries.values() if entry.has_text)
        return [entry for entry in with_text if entry.status is MemoryStatus.FORGOTTEN]

    def retention_candidates(self, limit: int) -> list[RetentionCandidate]:
        live = self._retention_candidates(MemoryStatus.LIVE)
        removed = self._retention_candidates(MemoryStatus.REMOVED)
        return sorted(live[:limit] + removed[:limit], key=self._age)

    def count_retention_candidates(self, *, before: float | None = None) -> int:
        if before is None:
            return len(self._retention_candidates(MemoryStatus.LIVE))
        both = [
            *self._retention_candidates(MemoryStatus.LIVE),
            *self._retention_candidates(MemoryStatus.REMOVED),
        ]
        return sum(candidate.ts is not None and candidate.ts < before for candidate in both)

    def _retention_candidates(self, state: MemoryStatus) -> list[RetentionCandidate]:
        found = [
            RetentionCandidate(id=entry.memory.id, ts=entry.memory.ts, is_live=is_live(entry))
            for entry in self._records.entries.values()
            if entry.status is state and not entry.memory.is_always_in_prompt
        ]
        return sorted(found, key=self._age)

    def _age(self, candidate: RetentionCandidate) -> tuple[float, int]:
        time = -math.inf if candidate.ts is None else candidate.ts
        return time, self._records.first_seqs[candidate.id]

    def search_dates(
        self, since: float, until: float, *, limit: int, only: SearchFilter = NO_FILTER
    ) -> list[str]:
        allowed = reversed(self._records.live(only))
        found = [memory for memory in allowed if is_said_or_mentioned_within(memory, since, until)]
        found.sort(key=time_of, reverse=True)
        return [memory.id for memory in found[:limit]]
