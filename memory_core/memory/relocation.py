"""Moves memories to another namespace of the same user, and takes the move back.

Each is written there before it is forgotten here, so that a crash in between loses nothing. The log
there has a name that no chat has: a chat of that name would remove what it does not show.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from ..domain.namespaces import Namespace, Scope, decode, encode
from ..domain.records import Memory, MemoryKind
from ..storage.log.diff import Added
from ..storage.log.events import EventType, NewEvent
from ..storage.log.projection import MemoryRecord, MemoryStatus
from .event_factory import add_event
from .namespace_memory import NamespaceMemory
from .runtime import Runtime

_MOVED = "moved:"


@dataclass(frozen=True, slots=True, kw_only=True)
class Relocation:
    """A move that can be taken back. `new_ids` are the ids in the target."""

    source: Namespace
    target: Namespace
    ids: tuple[str, ...]
    new_ids: tuple[str, ...]


def move_memories(
    runtime: Runtime, source: Namespace, target: Namespace, ids: Sequence[str]
) -> Relocation:
    """Moves the live ones of these memories. A note that applied in one chat applies everywhere.

    Raises ValueError for a target of another user, UnknownMemory, StorageFailed.
    """
    memory = runtime.memory
    source, target = memory.resolve(source), memory.resolve(target)
    if source == target or source.user != target.user or target.scope is Scope.WORLD:
        raise ValueError(f"memories of {source.label} cannot be moved to {target.label}")
    with memory.open_namespace(source) as archive:
        records = [archive.get_record(memory_id) for memory_id in dict.fromkeys(ids)]
    live = [record for record in records if record.status is MemoryStatus.LIVE]
    with memory.open_namespace(target) as archive:
        new_ids = tuple(_write(archive, record) for record in live)
    moved = tuple(record.memory.id for record in live)
    runtime.forget_exactly(source, moved)
    runtime.schedule(target)
    return Relocation(source=source, target=target, ids=moved, new_ids=new_ids)


def undo_move(runtime: Runtime, move: Relocation) -> None:
    """Brings the memories back and forgets their copies.

    Raises WordsErased once their text is erased, UnknownMemory, StorageFailed.
    """
    for memory_id in move.ids:
        runtime.memory.unforget(move.source, memory_id)
    runtime.forget_exactly(move.target, move.new_ids)
    runtime.schedule(move.source)


def origin_of_moved(conversation: str) -> str:
    """Returns the log from which a log of moved memories came; others are returned unchanged."""
    name = decode(conversation) or ""
    return name.removeprefix(_MOVED) if name.startswith(_MOVED) else conversation


def _write(archive: NamespaceMemory, record: MemoryRecord) -> str:
    """Writes a copy of the memory; returns its id."""
    memory = record.memory
    event = archive.write(_copy_event(memory, record.first_position))
    if memory.pinned and memory.exchange is not None:
        archive.write(NewEvent(op=EventType.PIN, id=event.id, ts=memory.ts))
    return event.id


def _copy_event(memory: Memory, position: float) -> NewEvent:
    if memory.exchange is not None:
        log = encode(f"{_MOVED}{origin_of_moved(memory.conversation)}")
        return add_event(log, Added(exchange=memory.exchange, position=position))
    fields = {"kind": MemoryKind(memory.kind), "text": memory.text, "pinned": memory.pinned}
    return NewEvent(op=EventType.NOTE, ts=memory.ts, fields=fields)
