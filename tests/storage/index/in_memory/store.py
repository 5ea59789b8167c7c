"""A store in memory that searches by brute force: the oracle of the other stores."""

import math
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext

from memory_core.domain.records import Memory
from memory_core.storage.contract import Page
from memory_core.storage.listing import ListedMemories, ListQuery
from memory_core.storage.log.events import Event
from memory_core.storage.log.projection import MemoryStatus, without_text

from .catalog import InMemoryCatalog
from .fulltext import InMemoryFullText
from .listing import list_memories
from .records import InMemoryRecords
from .rows import time_of, words_of
from .vectors import InMemoryVectors


class InMemoryStore:
    """A MemoryStore for tests. For one thread, and a few thousand memories."""

    def __init__(self) -> None:
        self._records = InMemoryRecords()
        self._positions: dict[str, int] = {}
        self.catalog = InMemoryCatalog(self._records)
        self.fulltext = InMemoryFullText(self._records)
        self.vectors = InMemoryVectors(self._records)

    def positions(self, logs: Collection[str] | None = None) -> Mapping[str, int]:
        return {log: end for log, end in self._positions.items() if logs is None or log in logs}

    def apply(
        self,
        lines: Sequence[Event],
        positions: Mapping[str, int],
        *,
        since: Mapping[str, int] | None = None,
    ) -> bool:
        if since not in (None, self._positions):
            return False
        for line in lines:
            self.vectors.drop(self._records.apply(line))
        self._positions |= positions
        return True

    def clear(self) -> None:
        self._records.clear()
        self._positions = {}

    def erase(self, ids: Sequence[str]) -> None:
        for memory_id, entry in self.catalog.get(ids).items():
            self._records.entries[memory_id] = without_text(entry)

    def consistent_read(self) -> AbstractContextManager[None]:
        return nullcontext()

    def latest(self, page: Page) -> list[Memory]:
        wanted = set(page.words)
        live = [memory for memory in self._records.live() if wanted <= set(words_of(memory))]
        end = page.before
        found = [memory for memory in live if end is None or -math.inf < time_of(memory) < end]
        found.sort(key=time_of)  # those of one time stay in the order of their events
        found.reverse()
        return found[page.offset : page.offset + page.limit]

    def list_memories(self, query: ListQuery) -> ListedMemories:
        return list_memories(self._records.live_entries(), query)

    def counts(self) -> dict[str, int]:
        entries = self._records.entries.values()
        states = Counter(entry.status.value for entry in entries)
        conversations = {log for one in self._records.live_entries() for log in one.positions}
        return {state.value: states[state.value] for state in MemoryStatus} | {
            "conversations": len(conversations),
            "last_seq": self.catalog.summary().last_seq,
            **self.vectors.counts(),
        }

    def maintain(self) -> bool:
        return False

    def find_damage(self) -> list[str]:
        return []

    def is_in_place(self) -> bool:
        return True

    def close(self) -> None:
        return
