"""Makes the log events for a chat's differences, for notes and for forgotten memories."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import suppress

from ..domain.errors import StorageCorrupt
from ..domain.namespaces import encode
from ..domain.records import Exchange, Note
from ..storage.log.contract import Log
from ..storage.log.diff import Added, Changed, Diff
from ..storage.log.events import EventType, NewEvent, is_of_type, unpack
from ..storage.log.projection import MemoryRecord, exchange_fields, tombstone_fields


def events_for_diff(
    log: str, diff: Diff, known: Mapping[int, str], now: float
) -> Iterator[NewEvent]:
    """Yields the events that bring a conversation in line with its chat.

    `known` gives index → id of the exchanges that are memories already; the index counts the added
    exchanges, then the changed ones.
    """
    for memory_id in (*diff.removed, *diff.forgotten_left):
        yield NewEvent(op=EventType.REMOVE, id=memory_id, log=log, ts=now)
    for index, change in enumerate(diff.changed, start=len(diff.added)):
        if index in known:
            yield NewEvent(op=EventType.REMOVE, id=change.id, log=log, ts=now)
            yield _place_event(log, known[index], change.position, now)
        else:
            yield _edit_event(log, change, now)
    for index, added in enumerate(diff.added):
        if index in known:
            yield _place_event(log, known[index], added.position, now)
        else:
            yield add_event(log, added)


def add_event(log: str, added: Added) -> NewEvent:
    ordinal = {"turn_id": int(added.position), "place": added.position}
    fields = ordinal | exchange_fields(added.exchange)
    return NewEvent(op=EventType.ADD, log=log, ts=added.exchange.ts, fields=fields)


def add_events(log: str, exchanges: Sequence[Exchange], *, after: int) -> list[NewEvent]:
    """Returns the events of exchanges that follow each other behind this position."""
    return [
        add_event(log, Added(exchange=exchange, position=float(place)))
        for place, exchange in enumerate(exchanges, after + 1)
    ]


def note_event(note: Note) -> NewEvent:
    own: dict[str, object] = {"kind": note.kind, "text": note.text}
    own |= {"pinned": True} if note.pinned else {}
    own |= {"conversation": encode(note.conversation)} if note.conversation else {}
    sources = {"sources": list(note.sources)} if note.sources else {}
    derived = note.derived.to_fields() if note.derived else {}
    return NewEvent(op=EventType.NOTE, id=note.id, ts=note.ts, fields=derived | own | sources)


def forget_events(
    entries: Sequence[MemoryRecord], event_log: Log, secret: str, now: float
) -> list[NewEvent]:
    """Returns events that forget these memories, with hashes of all texts that notes ever had."""
    notes = [entry.memory.id for entry in entries if entry.memory.exchange is None]
    texts = _earlier_texts(event_log, notes) if notes else {}
    return [
        NewEvent(
            op=EventType.FORGET,
            id=entry.memory.id,
            ts=now,
            fields=tombstone_fields(entry, secret, texts.get(entry.memory.id, ())),
        )
        for entry in entries
    ]


def _earlier_texts(event_log: Log, notes: Collection[str]) -> Mapping[str, Sequence[str]]:
    """Returns id → all texts of those notes that were revised, which are few."""
    lines = event_log.content("").split(b"\n")
    revisions = b"\n".join(line for line in lines if is_of_type(EventType.REVISE, line))
    names = [name.encode() for name in notes if name.encode() in revisions]
    texts: dict[str, list[str]] = {}
    for line in lines if names else ():
        if any(name in line for name in names):
            with suppress(StorageCorrupt):
                event = unpack(line, "")
                if text := event.fields.get("text"):
                    texts.setdefault(event.id, []).append(str(text))
    return texts


def withdraw_event(entry: MemoryRecord, secret: str, now: float) -> NewEvent:
    """Returns a forget event for a derived memory whose sources change."""
    fields = {**tombstone_fields(entry, secret, ()), "withdrawn": True}
    return NewEvent(op=EventType.FORGET, id=entry.memory.id, ts=now, fields=fields)


def erase_import_events(entries: Sequence[MemoryRecord], now: float) -> list[NewEvent]:
    """Returns events that forget memories in all chats without a hash, so that they may return."""
    exchanges = [entry.memory.id for entry in entries if entry.chat]
    removals = [NewEvent(op=EventType.REMOVE, id=name, ts=now) for name in exchanges]
    ids = [entry.memory.id for entry in entries]
    return removals + [NewEvent(op=EventType.FORGET, id=name, ts=now) for name in ids]


def unforget_events(entries: Sequence[MemoryRecord], now: float) -> list[NewEvent]:
    return [NewEvent(op=EventType.UNFORGET, id=entry.memory.id, ts=now) for entry in entries]


def _edit_event(log: str, change: Changed, now: float) -> NewEvent:
    said_at = change.exchange.ts
    time_field = {} if said_at is None else {"said_at": said_at}
    fields = time_field | exchange_fields(change.exchange)
    return NewEvent(op=EventType.EDIT, id=change.id, log=log, ts=now, fields=fields)


def _place_event(log: str, memory_id: str, position: float, now: float) -> NewEvent:
    return NewEvent(op=EventType.PLACE, id=memory_id, log=log, ts=now, fields={"place": position})
