"""Recovers memories of damaged lines from the store, as events to write."""

import json
from collections.abc import Iterator, Sequence
from typing import Any

from ...domain.records import Exchange, Memory
from ...storage.contract import Page
from ...storage.log.event_log import EventLog
from ...storage.log.events import EventType, NewEvent
from ...storage.log.projection import MemoryRecord, MemoryStatus, exchange_fields
from ...storage.store import MemoryStore
from ...text.utterances import without_speaker_labels
from . import index_check
from .log_check import LogSummary

_MAX_NOTES = 10_000  # to search, the latest first


def recover_from_store(
    store: MemoryStore, event_log: EventLog, seen: LogSummary
) -> dict[str, MemoryRecord]:
    """Returns the store's records of memories that damaged lines refer to.

    Only takes records that the damaged lines confirm, because a store may be a foreign copy.
    """
    named = {memory_id for line in seen.damaged_lines for memory_id in line.readable_ids}
    found = store.catalog.get(sorted(named))
    nameless = store.catalog.get(
        sorted(_ids_without_readable_id(store, seen) - seen.first_seqs.keys() - named)
    )
    found |= {
        memory_id: entry
        for memory_id, entry in nameless.items()
        if _is_in_damaged_line(entry, seen)
    }
    for part in index_check.fold_in_parts(event_log, event_log.logs()):
        kept = store.catalog.get(list(part))
        later = (memory_id for memory_id, entry in kept.items() if entry.seq > part[memory_id].seq)
        found |= {
            memory_id: kept[memory_id]
            for memory_id in later
            if kept[memory_id].seq not in seen.seqs
        }
    return found


def _ids_without_readable_id(store: MemoryStore, seen: LogSummary) -> set[str]:
    """Returns the ids of memories that damaged lines without a readable id may refer to."""
    logs = {line.log for line in seen.damaged_lines}
    found = {exchange.id for log in logs if log for exchange in store.catalog.known_exchanges(log)}
    return found | {memory.id for memory in store.latest(Page(limit=_MAX_NOTES)) if "" in logs}


def _is_in_damaged_line(entry: MemoryRecord, seen: LogSummary) -> bool:
    """Returns True if a damaged line holds its words."""
    exchange = entry.chat
    texts = (exchange.user, exchange.assistant) if exchange else (entry.memory.text,)
    words = [json.dumps(text, ensure_ascii=False)[1:-1].encode() for text in texts if text]
    return any(word in line.data for word in words for line in seen.damaged_lines)


def restoring_events(known: MemoryRecord, logged: MemoryRecord | None) -> Sequence[NewEvent]:
    """Returns the events that turn `logged`, the record of the sound lines, into `known`."""
    drafts = [*_text_events(known, logged), *_position_events(known, logged)]
    if known.memory.pinned != (logged is not None and logged.memory.pinned):
        op = EventType.PIN if known.memory.pinned else EventType.UNPIN
        drafts.append(NewEvent(op=op, id=known.memory.id, ts=known.memory.ts))
    was_forgotten = logged is not None and logged.status is MemoryStatus.FORGOTTEN
    if known.status is MemoryStatus.FORGOTTEN and not was_forgotten:
        fields = {
            "sealed": known.tombstone_hash,
            "sealed_message": known.message_hash,
            "withdrawn": known.is_withdrawn,
        }
        drafts.append(
            NewEvent(op=EventType.FORGET, id=known.memory.id, ts=known.forgotten_at, fields=fields)
        )
    return drafts


def _text_events(known: MemoryRecord, logged: MemoryRecord | None) -> Iterator[NewEvent]:
    memory = known.memory
    if logged is None:
        yield _first_event(known)
    elif known.chat is not None and logged.chat != known.chat:
        log = next(iter(known.positions), memory.conversation)
        fields = {"said_at": known.chat.ts, **exchange_fields(known.chat)}
        yield NewEvent(op=EventType.EDIT, id=memory.id, log=log, ts=memory.ts, fields=fields)
    if memory.exchange is None:
        if logged is not None and _note_fields(logged.memory) != _note_fields(memory):
            fields = _note_fields(memory)
            yield NewEvent(op=EventType.REVISE, id=memory.id, ts=memory.ts, fields=fields)
    elif _sides(memory.exchange) != _sides(_exchange_after(known, logged)):
        user, assistant = _sides(memory.exchange)
        fields = {"user": user, "assistant": assistant}
        yield NewEvent(op=EventType.REVISE, id=memory.id, ts=memory.ts, fields=fields)


def _note_fields(memory: Memory) -> dict[str, Any]:
    derived = memory.derived.to_fields() if memory.derived else {}
    return {"text": memory.text, "conversation": memory.conversation, **derived}


def _exchange_after(known: MemoryRecord, logged: MemoryRecord | None) -> Exchange | None:
    """Returns the memory's exchange after _text_events() restored the chat's words."""
    if logged is None or logged.chat != known.chat:
        return without_speaker_labels(known.chat) if known.chat else None
    return logged.memory.exchange


def _sides(exchange: Exchange | None) -> tuple[str, str]:
    return (exchange.user, exchange.assistant) if exchange else ("", "")


def _first_event(known: MemoryRecord) -> NewEvent:
    memory = known.memory
    if known.chat is None:
        fields: dict[str, Any] = {
            "kind": memory.kind,
            "text": memory.text,
            "conversation": memory.conversation,
            "sources": memory.sources,
            **(memory.derived.to_fields() if memory.derived else {}),
        }
        return NewEvent(op=EventType.NOTE, id=memory.id, ts=memory.ts, fields=fields)
    fields = {
        "turn_id": memory.turn_id,
        "place": known.first_position,
        **exchange_fields(known.chat),
    }
    return NewEvent(
        op=EventType.ADD, id=memory.id, log=memory.conversation, ts=memory.ts, fields=fields
    )


def _position_events(known: MemoryRecord, logged: MemoryRecord | None) -> Iterator[NewEvent]:
    memory = known.memory
    if known.chat is None:
        return
    there = {memory.conversation: known.first_position} if logged is None else logged.positions
    for log in there.keys() - known.positions.keys():
        yield NewEvent(op=EventType.REMOVE, id=memory.id, log=log, ts=memory.ts)
    for log, place in known.positions.items():
        if there.get(log) != place:
            fields = {"place": place}
            yield NewEvent(op=EventType.PLACE, id=memory.id, log=log, ts=memory.ts, fields=fields)
