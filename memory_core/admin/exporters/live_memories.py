"""Reads a namespace's live memories in bounded memory, one conversation after the other."""

from collections.abc import Iterable, Iterator
from itertools import islice

from ...domain.namespaces import Namespace
from ...domain.records import Memory
from ...memory.long_term_memory import LongTermMemory
from ...storage.log.contract import Log
from ...storage.log.event_log import EventLog
from ...storage.log.events import Event, EventType
from ...storage.log.log_file import readable_lines
from ...storage.log.projection import MemoryRecord, MemoryStatus

_BATCH = 200


def live_memories(memory: LongTermMemory, namespace: Namespace) -> Iterator[Memory]:
    """Yields conversations by name, each in the chat's order, then the notes in order.

    A memory of several conversations comes once. Holds the ids of one conversation and the words of
    a few memories at a time. Raises StorageFailed.
    """
    if not memory.shared.namespaces.has(namespace):
        return
    with memory.open_namespace(namespace) as opened:
        event_log = opened.event_log
    for log in sorted(event_log.logs(), key=lambda log: (not log, log)):
        ids = iter(_ids_in_log(_events(event_log, log)))
        while batch := list(islice(ids, _BATCH)):
            entries = memory.get_records(namespace, batch)
            found = (entries[memory_id] for memory_id in batch if memory_id in entries)
            yield from (
                entry.memory
                for entry in found
                if entry.status is MemoryStatus.LIVE and _home_conversation(entry) == log
            )


def _events(event_log: Log, log: str) -> Iterable[Event]:
    if isinstance(event_log, EventLog):  # line by line
        return readable_lines(event_log.path(log), log)
    return event_log.read(log).events


def _ids_in_log(events: Iterable[Event]) -> list[str]:
    """Returns the ids of all memories that were ever in this log, by position in the chat."""
    positions: dict[str, float] = {}
    for line in events:
        if line.op in (EventType.ADD, EventType.PLACE):
            positions[line.id] = float(line.fields.get("place", line.fields.get("turn_id", 0)))
        elif line.op is EventType.NOTE:
            positions[line.id] = float(line.seq)
    return sorted(positions, key=positions.__getitem__)


def _home_conversation(entry: MemoryRecord) -> str:
    """Returns the conversation to list a memory under: its first, while it is still there."""
    if entry.chat is None:
        return ""
    first = entry.memory.conversation
    return first if first in entry.positions else min(entry.positions)
