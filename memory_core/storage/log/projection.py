"""Projects events to memory records: each record is the fold of all events about one memory."""

import hashlib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any

from ...domain.derivations import derivation_of
from ...domain.records import (
    EMPTY_MAPPING,
    Exchange,
    Memory,
    MemoryKind,
    Role,
    Turn,
    content_key,
    empty_mapping,
    side_key,
    verbatim_content_key,
)
from ...text.utterances import without_speaker_labels
from .events import (
    CREATING_EVENTS,
    DERIVATION_EVENTS,
    Event,
    EventType,
    erased_derivation,
    revised_derivation,
    with_derivation_event,
)

WORDINGS = "sealed_wordings"  # in a forget event: hashes of texts that no chat shows


class MemoryStatus(StrEnum):
    LIVE = "live"
    REMOVED = "removed"  # no longer in the chat
    FORGOTTEN = "forgotten"  # by the user


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryRecord:
    """One memory with the outcome of its history.

    `chat` is the exchange as the chat's file has it. `memory` has names instead of macros, and
    differs further once the user has edited the memory itself. `first_position` is the position in
    the first conversation. `positions` holds the position in each conversation that shows the
    memory now, since branches share exchanges. `logs` are the logs that hold its text.
    `tombstone_hash` is the keyed hash that a forgotten exchange leaves behind, and `message_hash`
    that of the user's message in it. `is_withdrawn`: a derived memory was forgotten because its
    sources changed.
    """

    memory: Memory
    first_position: float = 0.0
    chat: Exchange | None = None
    positions: Mapping[str, float] = field(default_factory=empty_mapping)
    logs: frozenset[str] = frozenset()
    forgotten_at: float | None = None
    tombstone_hash: str = ""
    message_hash: str = ""
    is_withdrawn: bool = False
    seq: int = 0

    @property
    def is_in_no_chat(self) -> bool:
        """True for an exchange that no chat shows any more."""
        return self.chat is not None and not self.positions

    @property
    def status(self) -> MemoryStatus:
        if self.forgotten_at is not None:
            return MemoryStatus.FORGOTTEN
        return MemoryStatus.REMOVED if self.is_in_no_chat else MemoryStatus.LIVE

    @property
    def has_text(self) -> bool:
        """True while any text is left, the memory's or the chat's."""
        said = (self.chat.user, self.chat.assistant) if self.chat else ()
        return any((self.memory.text, *said))


def apply_event(entry: MemoryRecord | None, line: Event) -> MemoryRecord | None:
    """Returns the record after this event; None if the event names no known memory.

    An event not newer than the record's seq changes nothing: another program, or a restart after a
    crash, may deliver it again, and a forgotten memory must not come back.
    """
    if entry is not None and line.seq < entry.seq:
        return entry
    if line.op in CREATING_EVENTS:
        return _create(line)
    if entry is None or line.op not in _HANDLERS:
        return entry
    return replace(_HANDLERS[line.op](entry, line), seq=line.seq)


def apply_events(
    lines: Iterable[Event], known: Mapping[str, MemoryRecord] = EMPTY_MAPPING
) -> dict[str, MemoryRecord]:
    """Returns the known and the new records after these events, given in the order of their seq."""
    found = dict(known)
    for line in lines:
        entry = apply_event(found.get(line.id), line)
        if entry is not None:
            found[line.id] = entry
    return found


def _create(line: Event) -> MemoryRecord:
    if line.op is EventType.NOTE:
        return MemoryRecord(memory=_note(line), logs=frozenset([line.log]), seq=line.seq)
    chat = exchange_of(line.fields, line.ts)
    exchange = without_speaker_labels(chat)
    turn_id = int(line.fields.get("turn_id", 0))
    position = float(line.fields.get("place", turn_id))
    memory = Memory(
        id=line.id,
        kind=MemoryKind.EXCHANGE,
        text=exchange_text(exchange),
        ts=line.ts,
        conversation=line.log,
        turn_id=turn_id,
        position=position,
        exchange=exchange,
    )
    return MemoryRecord(
        memory=memory,
        chat=chat,
        first_position=position,
        positions={line.log: position},
        logs=frozenset([line.log]),
        seq=line.seq,
    )


def _note(line: Event) -> Memory:
    fields = line.fields
    return Memory(
        id=line.id,
        kind=MemoryKind(fields["kind"]),
        text=str(fields["text"]),
        ts=line.ts,
        conversation=str(fields.get("conversation", "")),
        pinned=bool(fields.get("pinned", False)),
        sources=tuple(fields.get("sources", ())),
        derived=derivation_of(fields),
    )


def _edited(entry: MemoryRecord, line: Event) -> MemoryRecord:
    """Applies an edit. The memory keeps its time; `said_at` is the time that the chat now has."""
    chat = exchange_of(line.fields, line.fields.get("said_at", entry.memory.ts))
    if entry.chat is not None and _is_half_erased(entry, line):
        chat = replace(entry.chat, ts=chat.ts)
    exchange = replace(without_speaker_labels(chat), ts=entry.memory.ts)
    memory = replace(entry.memory, exchange=exchange, text=exchange_text(exchange))
    positions = entry.positions or {line.log or entry.memory.conversation: entry.first_position}
    return replace(
        entry, memory=memory, chat=chat, positions=positions, logs=entry.logs | {line.log}
    )


def _with_position(entry: MemoryRecord, line: Event) -> MemoryRecord:
    return replace(entry, positions={**entry.positions, line.log: float(line.fields["place"])})


def _removed(entry: MemoryRecord, line: Event) -> MemoryRecord:
    """Removes the memory from the event's conversation; from all if the event names none."""
    left = {log: position for log, position in entry.positions.items() if line.log not in ("", log)}
    return replace(entry, positions=left)


def _revised(entry: MemoryRecord, line: Event) -> MemoryRecord:
    said = entry if _is_half_erased(entry, line) else _with_new_text(entry, line)
    return replace(said, logs=entry.logs | {line.log})


def _is_half_erased(entry: MemoryRecord, line: Event) -> bool:
    """Returns whether erasing was interrupted, so that another line still has the text."""
    return bool(line.fields.get("purged")) and entry.has_text


def _with_new_text(entry: MemoryRecord, line: Event) -> MemoryRecord:
    before = entry.memory.exchange
    if before is None:
        text, memory = str(line.fields["text"]), entry.memory
        log = str(line.fields.get("conversation", memory.conversation))
        derived = revised_derivation(memory, text, line.fields)
        new = replace(memory, text=text, conversation=log, derived=derived)
        return replace(entry, memory=new)
    exchange = replace(
        before,
        user=str(line.fields.get("user", before.user)),
        assistant=str(line.fields.get("assistant", before.assistant)),
    )
    return replace(
        entry, memory=replace(entry.memory, exchange=exchange, text=exchange_text(exchange))
    )


def _forgotten(entry: MemoryRecord, line: Event) -> MemoryRecord:
    return replace(
        entry,
        forgotten_at=line.ts,
        tombstone_hash=str(line.fields.get("sealed", "")),
        message_hash=str(line.fields.get("sealed_message", "")),
        is_withdrawn=bool(line.fields.get("withdrawn", False)),
    )


def _unforgotten(entry: MemoryRecord, _: Event) -> MemoryRecord:
    return replace(entry, forgotten_at=None, tombstone_hash="", message_hash="", is_withdrawn=False)


def _with_derivation_event(entry: MemoryRecord, line: Event) -> MemoryRecord:
    return replace(entry, memory=with_derivation_event(entry.memory, line))


def _pinned(entry: MemoryRecord, line: Event) -> MemoryRecord:
    return replace(entry, memory=replace(entry.memory, pinned=line.op is EventType.PIN))


_HANDLERS: Mapping[EventType, Callable[[MemoryRecord, Event], MemoryRecord]] = {
    EventType.EDIT: _edited,
    EventType.PLACE: _with_position,
    EventType.REMOVE: _removed,
    EventType.REVISE: _revised,
    EventType.PIN: _pinned,
    EventType.UNPIN: _pinned,
    EventType.FORGET: _forgotten,
    EventType.UNFORGET: _unforgotten,
    **dict.fromkeys(DERIVATION_EVENTS, _with_derivation_event),
}


def exchange_text(exchange: Exchange) -> str:
    """Returns the searched text of an exchange: both sides, each after its speaker's name."""
    sides = (
        (exchange.user_name or "User", exchange.user),
        (exchange.assistant_name or "Assistant", exchange.assistant),
    )
    return "\n".join([f"{name}: {text}" for name, text in sides if text])


def exchange_fields(exchange: Exchange) -> dict[str, Any]:
    """Returns the fields of an event for an exchange (OpenPersistentMemory's keys and ours)."""
    fields: dict[str, Any] = {
        "user": exchange.user,
        "assistant": exchange.assistant,
        "user_name": exchange.user_name,
        "assistant_name": exchange.assistant_name,
        "channel": exchange.channel,
        "metadata": dict(exchange.metadata),
    }
    if exchange.turns:
        fields["turns"] = [_turn_fields(turn) for turn in exchange.turns]
    return fields


def _turn_fields(turn: Turn) -> dict[str, Any]:
    return {
        "role": turn.role,
        "name": turn.name,
        "text": turn.text,
        "ts": turn.ts,
        "metadata": dict(turn.metadata),
    }


def exchange_of(fields: Mapping[str, Any], ts: float | None) -> Exchange:
    """Returns the exchange that exchange_fields() turned into these fields."""
    return Exchange(
        user=str(fields.get("user", "")),
        assistant=str(fields.get("assistant", "")),
        user_name=str(fields.get("user_name", "")),
        assistant_name=str(fields.get("assistant_name", "")),
        ts=ts,
        channel=str(fields.get("channel", "")),
        metadata=fields.get("metadata", EMPTY_MAPPING),
        turns=tuple(map(_turn_of, fields.get("turns", ()))),
    )


def _turn_of(fields: Mapping[str, Any]) -> Turn:
    return Turn(
        role=Role(fields["role"]),
        name=str(fields.get("name", "")),
        text=str(fields.get("text", "")),
        ts=fields.get("ts"),
        metadata=fields.get("metadata", EMPTY_MAPPING),
    )


def tombstone_hash(secret: str, key: str) -> str:
    """Returns the keyed hash (BLAKE2b) that identifies forgotten texts by their content key."""
    return hashlib.blake2b(key.encode(), key=bytes.fromhex(secret), digest_size=16).hexdigest()


def tombstone_hashes(secret: str, user: str, assistant: str) -> frozenset[str]:
    """Returns tombstone_hash() and the one that earlier versions left of texts in this form."""
    keys = {content_key(user, assistant), verbatim_content_key(user, assistant)}
    return frozenset(tombstone_hash(secret, key) for key in keys)


def tombstone_fields(
    entry: MemoryRecord, secret: str, earlier_texts: Iterable[str] = ()
) -> dict[str, Any]:
    """Returns the hashes that a forget event leaves of the chat's exchange, or of a note's text.

    Those of other wordings, `earlier_texts` of a note and an edited memory's own, recognise them in
    an import.
    """
    chat, memory = entry.chat, entry.memory
    sealed = {"sealed": tombstone_hash(secret, chat.key if chat else memory.key)}
    if chat and chat.user:
        sealed["sealed_message"] = tombstone_hash(secret, side_key(chat.user))
    keys = {memory.key} if chat else map(side_key, earlier_texts)
    others = {tombstone_hash(secret, key) for key in keys} - {sealed["sealed"]}
    return sealed | ({WORDINGS: sorted(others)} if others else {})


def without_text(entry: MemoryRecord) -> MemoryRecord:
    """Returns the record without its text, as a projection of the purged log would give it."""
    memory = entry.memory
    if memory.exchange is None:
        derived = erased_derivation(memory.derived)
        return replace(entry, memory=replace(memory, text="", sources=(), derived=derived))
    empty = Exchange(user="", assistant="", ts=memory.ts)
    chat = replace(empty, ts=entry.chat.ts) if entry.chat else None
    return replace(entry, memory=replace(memory, text="", exchange=empty), chat=chat)
