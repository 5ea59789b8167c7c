"""Makes the log events for a chat's differences, for notes and for forgotten memories."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from ..domain.records import Exchange, Note
from ..storage.log.contract import Log
from ..storage.log.diff import Added, Changed, Diff
from ..storage.log.events import EventType, NewEvent
from ..storage.log.projection import MemoryRecord, exchange_fields, tombstone_fields


def events_for_diff(
    log: str, diff: Diff, known: Mapping[int, str], now: float
) -> Iterator[NewEvent]:
    """Yields the events that bring a conversation in line with its chat.

    `known` gives index → id of the exchanges that are memories already; the index counts the added
    exchanges, then the changed ones.
    """
    for memory_id in diff.removed:
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
    own = {"kind": note.kind, "text": note.text}
    sources = {"sources": list(note.sources)} if note.sources else {}
    derived = note.derived.to_fields() if note.derived else {}
    return NewEvent(op=EventType.NOTE, id=note.id, ts=note.ts, fields=derived | own | sources)


def forget_events(
    entries: Sequence[MemoryRecord], event_log: Log, secret: str, now: float
) -> list[NewEvent]:
    """Returns events that forget these memories, with hashes of all texts that notes ever had."""
    notes = frozenset(entry.memory.id for entry in entries if entry.memory.exchange is None)
    texts: dict[str, list[str]] = {}
    for line in event_log.read("").events if notes else ():
        if line.id in notes and (text := line.fields.get("text")):
            texts.setdefault(line.id, []).append(str(text))
    return [forget_event(entry, secret, now, texts.get(entry.memory.id, ())) for entry in entries]


def forget_event(
    entry: MemoryRecord, secret: str, now: float, earlier_texts: Iterable[str] = ()
) -> NewEvent:
    """Returns a forget event with the keyed hashes that recognise the chat's text again."""
    fields = tombstone_fields(entry, secret, earlier_texts)
    return NewEvent(op=EventType.FORGET, id=entry.memory.id, ts=now, fields=fields)


def withdraw_event(entry: MemoryRecord, secret: str, now: float) -> NewEvent:
    """Returns a forget event for a derived memory whose sources change."""
    event = forget_event(entry, secret, now)
    return replace(event, fields={**event.fields, "withdrawn": True})


def take_back_events(entries: Sequence[MemoryRecord], now: float) -> list[NewEvent]:
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
