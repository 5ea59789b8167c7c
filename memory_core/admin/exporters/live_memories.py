"""A namespace's live memories, one conversation after the other, in bounded memory."""

from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from ...domain.errors import StorageCorrupt
from ...domain.namespaces import Namespace
from ...domain.records import Memory
from ...memory.long_term_memory import LongTermMemory
from ...storage.log.event_log import EventLog
from ...storage.log.events import EventType, unpack
from ...storage.log.log_file import complete_lines
from ...storage.log.projection import MemoryRecord, MemoryStatus

_BATCH = 200


def live_memories(memory: LongTermMemory, namespace: Namespace) -> Iterator[Memory]:
    """Conversations by name, each in the chat's order, then notes in theirs.

    What several conversations share comes once. Held at a time are the ids of one conversation,
    and the words of a few memories. Raises StorageFailed.
    """
    folder = namespace.folder(memory.root)
    if not folder.is_dir():
        return
    transcript = EventLog(folder)
    for log in sorted(transcript.logs(), key=lambda log: (not log, log)):
        ids = iter(_ids_in_log(transcript.path(log), log))
        while some := list(islice(ids, _BATCH)):
            entries = memory.get_records(namespace, some)
            found = (entries[memory_id] for memory_id in some if memory_id in entries)
            yield from (
                entry.memory
                for entry in found
                if entry.status is MemoryStatus.LIVE and _home_conversation(entry) == log
            )


def _ids_in_log(path: Path, log: str) -> list[str]:
    """Of all that ever stood in this log, in the order of their places in the chat."""
    places: dict[str, float] = {}
    for data in complete_lines(path):
        try:
            line = unpack(data[:-1], log)
        except StorageCorrupt:
            continue
        if line.op in (EventType.ADD, EventType.PLACE):
            places[line.id] = float(line.fields.get("place", line.fields.get("turn_id", 0)))
        elif line.op is EventType.NOTE:
            places[line.id] = float(line.seq)
    return sorted(places, key=places.__getitem__)


def _home_conversation(entry: MemoryRecord) -> str:
    """The conversation that it is listed under: its first, while that shows it."""
    if entry.chat is None:
        return ""
    first = entry.memory.conversation
    return first if first in entry.positions else min(entry.positions)
