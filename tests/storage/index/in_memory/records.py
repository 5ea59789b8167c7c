"""The records of an in-memory store, as its three parts share them."""

from memory_core.domain.records import Memory
from memory_core.storage.contract import NO_FILTER, SearchFilter
from memory_core.storage.log.events import Event
from memory_core.storage.log.projection import MemoryRecord, apply_event

from .rows import is_allowed, is_live, live_vector_ids, vector_ids


class InMemoryRecords:
    """The records that all parts of one in-memory store share. For one thread."""

    def __init__(self) -> None:
        self.entries: dict[str, MemoryRecord] = {}
        self.first_seqs: dict[str, int] = {}
        self.last_applied_seq = 0

    def apply(self, line: Event) -> set[int]:
        """Applies one event; returns the ids of the vectors that are not wanted any more."""
        self.last_applied_seq = max(self.last_applied_seq, line.seq)
        before = self.entries.get(line.id)
        after = apply_event(before, line)
        if after is None:
            return set()
        self.entries[line.id] = after
        self.first_seqs.setdefault(line.id, line.seq)
        return live_vector_ids(before) - live_vector_ids(after)

    def clear(self) -> None:
        self.entries, self.first_seqs, self.last_applied_seq = {}, {}, 0

    def live_entries(self) -> list[MemoryRecord]:
        """Returns the live records, the oldest first."""
        return sorted((entry for entry in self.entries.values() if is_live(entry)), key=self.seq)

    def live(self, only: SearchFilter = NO_FILTER) -> list[Memory]:
        """Returns the live memories that pass the filter, the oldest first."""
        found = self.live_entries()
        return [entry.memory for entry in found if is_allowed(entry, self.seq(entry), only)]

    def shown(self, conversation: str) -> list[MemoryRecord]:
        """Returns the records that the conversation shows now, in its order."""
        found = [entry for entry in self.entries.values() if conversation in entry.positions]
        return sorted(found, key=lambda entry: (entry.positions[conversation], self.seq(entry)))

    def seq(self, entry: MemoryRecord) -> int:
        """Returns the seq of the event that created a record."""
        return self.first_seqs[entry.memory.id]

    def wanted_vectors(self) -> set[int]:
        """Returns the ids of the vectors that the live memories want."""
        return {vector_id for memory in self.live() for vector_id in vector_ids(memory)}
