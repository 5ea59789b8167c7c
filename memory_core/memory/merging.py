"""Merges memories into one note that names them as its sources, and takes the merge back.

The note and the tombstones of its sources are one write. The chat sync knows the tombstones and
does not remember the sources again; their text is erased after the undo time.
"""

import secrets
from collections.abc import Sequence
from dataclasses import dataclass

from ..domain.namespaces import Namespace
from ..domain.records import Memory, MemoryKind
from ..storage.log.events import EventType, NewEvent
from ..storage.log.projection import MemoryRecord, MemoryStatus
from .event_factory import forget_events, unforget_events
from .forgetting import Forgotten, restored_with
from .namespace_memory import NamespaceMemory
from .runtime import Runtime

_ID_BYTES = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class Merge:
    """A merge that can be taken back: the new note, and the memories it replaces."""

    note_id: str
    sources: tuple[str, ...]


def merge_memories(runtime: Runtime, space: Namespace, ids: Sequence[str], text: str) -> Merge:
    """Replaces live memories of one namespace by a note with this text.

    Raises ValueError for fewer than two memories or a blank text, UnknownMemory, StorageFailed.
    """
    wanted = list(dict.fromkeys(ids))
    if len(wanted) < 2 or not text.strip():
        raise ValueError("a merge needs two memories and a text")
    text = runtime.memory.guard.redact_text(space, text.strip())
    with runtime.memory.open_namespace(space) as opened:
        records = [opened.get_record(memory_id) for memory_id in wanted]
        live = [record for record in records if record.status is MemoryStatus.LIVE]
        if len(live) < 2:
            raise ValueError("a merge needs two memories that are not forgotten")
        event = _note_event([record.memory for record in live], text)
        hiding = _tombstones(opened, live, runtime.memory.now())
        opened.write_all([event, *hiding])
    sources = tuple(record.memory.id for record in live)
    runtime.notify_forgotten(Forgotten.of(space, sources, live))
    runtime.schedule(space)
    return Merge(note_id=event.id, sources=sources)


def undo_merge(runtime: Runtime, space: Namespace, merge: Merge) -> None:
    """Restores the sources and their derived memories and forgets the note, in one write.

    Raises WordsErased once the sources' text is erased, UnknownMemory, StorageFailed.
    """
    now = runtime.memory.now()
    with runtime.memory.open_namespace(space) as opened:
        sources = [opened.get_record(memory_id) for memory_id in merge.sources]
        for source in sources:
            opened.erasure.refuse_erased(source)
        note = opened.get_record(merge.note_id)
        withdrawn = [one for one in opened.erasure.restorable() if one.is_withdrawn]
        back = [*sources, *restored_with(opened, sources, withdrawn)]
        opened.write_all([*unforget_events(back, now), *_tombstones(opened, [note], now)])
    runtime.notify_forgotten(Forgotten.of(space, [merge.note_id], [note]))
    runtime.schedule(space)


def _note_event(sources: Sequence[Memory], text: str) -> NewEvent:
    """Returns the event of the note: as young as the youngest source, and as wide in scope."""
    is_knowledge = all(memory.kind is MemoryKind.KNOWLEDGE for memory in sources)
    chats = {memory.only_in_conversation for memory in sources}
    times = [memory.ts for memory in sources if memory.ts is not None]
    fields = {
        "kind": MemoryKind.KNOWLEDGE if is_knowledge else MemoryKind.OBSERVATION,
        "text": text,
        "pinned": any(memory.pinned for memory in sources),
        "sources": [memory.id for memory in sources],
        **({"conversation": chats.pop()} if is_knowledge and len(chats) == 1 else {}),
    }
    new_id = secrets.token_hex(_ID_BYTES)
    return NewEvent(op=EventType.NOTE, id=new_id, ts=max(times, default=None), fields=fields)


def _tombstones(
    opened: NamespaceMemory, records: Sequence[MemoryRecord], now: float
) -> list[NewEvent]:
    secret = opened.secret()
    opened.active_model.drop_similarity_baseline()
    return forget_events(records, opened.event_log, secret, now)
