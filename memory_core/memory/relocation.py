"""Moves memories to another namespace of the same user, and takes the move back.

Each is written to the target before it is forgotten in the source, so that a crash in between loses
nothing. The target log has a name that no chat has: such a chat would remove what it does not show.
"""

import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from ..domain.derivations import Derivation
from ..domain.namespaces import Namespace, Scope, decode, encode
from ..domain.records import Memory, MemoryKind
from ..recall.derived_memories import is_superseded
from ..storage.log.diff import Added
from ..storage.log.events import CREATING_EVENTS, EventType, NewEvent
from ..storage.log.projection import MemoryRecord, MemoryStatus
from .event_factory import add_event
from .namespace_memory import NamespaceMemory
from .runtime import Runtime

_MOVED = "moved:"
_ID_BYTES = 8


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
    """Moves the live ones of these memories. A note limited to one chat then applies everywhere.

    Raises ValueError for a target of another user, UnknownMemory, StorageFailed.
    """
    memory = runtime.memory
    source, target = memory.resolve(source), memory.resolve(target)
    if source == target or source.user != target.user or target.scope is Scope.WORLD:
        raise ValueError(f"memories of {source.label} cannot be moved to {target.label}")
    with memory.open_namespace(source) as opened:
        records = [opened.get_record(memory_id) for memory_id in dict.fromkeys(ids)]
        live = [record for record in records if record.status is MemoryStatus.LIVE]
        copies = _copy_events(opened, live, memory.now())
    with memory.open_namespace(target) as opened:
        written = opened.write_all(copies)
    new_ids = tuple(event.id for event in written if event.op in CREATING_EVENTS)
    moved = tuple(record.memory.id for record in live)
    runtime.forget_exactly(source, moved)
    runtime.schedule(target)
    return Relocation(source=source, target=target, ids=moved, new_ids=new_ids)


def undo_move(runtime: Runtime, move: Relocation) -> None:
    """Brings the memories back and forgets their copies.

    Raises WordsErased once their text is erased, UnknownMemory, StorageFailed.
    """
    runtime.memory.unforget(move.source, *move.ids)
    runtime.forget_exactly(move.target, move.new_ids)
    runtime.schedule(move.source)


def origin_of_moved(conversation: str) -> str:
    """Returns the log from which a log of moved memories came; others are returned unchanged."""
    name = decode(conversation) or ""
    return name.removeprefix(_MOVED) if name.startswith(_MOVED) else conversation


def _copy_events(
    opened: NamespaceMemory, records: Sequence[MemoryRecord], now: float
) -> list[NewEvent]:
    """Returns the events that write copies of these memories elsewhere.

    A copy names its sources only if all of them move, too.
    """
    new_ids = {record.memory.id: secrets.token_hex(_ID_BYTES) for record in records}
    events = list[NewEvent]()
    for record in records:
        memory, new_id = record.memory, new_ids[record.memory.id]
        if memory.exchange is None:
            events.append(_copied_note(opened, memory, new_ids, now))
            continue
        log = encode(f"{_MOVED}{origin_of_moved(memory.conversation)}")
        said = Added(exchange=memory.exchange, position=record.first_position)
        events.append(replace(add_event(log, said), id=new_id))
        if memory.pinned:
            events.append(NewEvent(op=EventType.PIN, id=new_id, ts=memory.ts))
    return events


def _copied_note(
    opened: NamespaceMemory, memory: Memory, new_ids: Mapping[str, str], now: float
) -> NewEvent:
    has_sources = new_ids.keys() >= set(memory.sources)
    derived = _copied_derivation(opened, memory, new_ids, now)
    fields = {
        **(derived.to_fields() if derived else {}),
        **({"sources": [new_ids[one] for one in memory.sources]} if has_sources else {}),
        "kind": MemoryKind(memory.kind),
        "text": memory.text,
        "pinned": memory.pinned,
    }
    return NewEvent(op=EventType.NOTE, id=new_ids[memory.id], ts=memory.ts, fields=fields)


def _copied_derivation(
    opened: NamespaceMemory, memory: Memory, new_ids: Mapping[str, str], now: float
) -> Derivation | None:
    """Returns the derivation without memories that stay behind, and with an end if superseded."""
    derived = memory.derived
    if derived is None:
        return None
    newer, valid_to = new_ids.get(derived.superseded_by, ""), derived.valid_to
    if derived.superseded_by and not newer:
        ended = now if valid_to is None else valid_to
        valid_to = ended if is_superseded(opened.records, memory) else None
    return replace(
        derived, superseded_by=newer, valid_to=valid_to, reflected_into=(), in_doubt_with=()
    )
