"""What became of a memory: the fold of all lines that name it, in the order of their seq."""

import hashlib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any

from ...domain.records import (
    NOTHING,
    Exchange,
    Memory,
    MemoryKind,
    Role,
    Turn,
    content_key,
    nothing,
)
from ...text.utterances import as_remembered
from .events import BEGINNINGS, Line, Op


class State(StrEnum):
    LIVE = "live"
    REMOVED = "removed"  # no longer in the chat
    FORGOTTEN = "forgotten"  # the user said so


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One memory with its history's outcome.

    `chat` is what the conversation's file says; `memory` has names for its macros, and may differ
    more where the user edited the memory itself. `place` is where it stood first; `places` says for
    each conversation that shows it now where it stands there: a branch shares what was said before
    it. `logs` are those whose lines hold its words. `sealed` is the keyed hash that a forgotten
    exchange leaves behind.
    """

    memory: Memory
    place: float = 0.0
    chat: Exchange | None = None
    places: Mapping[str, float] = field(default_factory=nothing)
    logs: frozenset[str] = frozenset()
    forgotten_at: float | None = None
    sealed: str = ""
    seq: int = 0

    @property
    def gone(self) -> bool:
        """Whether no chat shows it any more."""
        return self.chat is not None and not self.places

    @property
    def state(self) -> State:
        if self.forgotten_at is not None:
            return State.FORGOTTEN
        return State.REMOVED if self.gone else State.LIVE

    @property
    def has_words(self) -> bool:
        """Whether any words of it are kept, the memory's or the chat's."""
        said = (self.chat.user, self.chat.assistant) if self.chat else ()
        return any((self.memory.text, *said))


def fold(entry: Entry | None, line: Line) -> Entry | None:
    """The entry after this line; None where the line names nothing that is known.

    One that lies behind it is folded in already, whoever brings it again: another program, or the
    next one after a crash. Begun anew, what was forgotten since would live.
    """
    if entry is not None and line.seq < entry.seq:
        return entry
    if line.op in BEGINNINGS:
        return _begun(line)
    if entry is None or line.op not in _FOLDS:
        return entry
    return replace(_FOLDS[line.op](entry, line), seq=line.seq)


def folded(lines: Iterable[Line], known: Mapping[str, Entry] = NOTHING) -> dict[str, Entry]:
    """What is known, and what is new, after these lines, which come in the order of their seq."""
    found = dict(known)
    for line in lines:
        entry = fold(found.get(line.id), line)
        if entry is not None:
            found[line.id] = entry
    return found


def _begun(line: Line) -> Entry:
    if line.op is Op.NOTE:
        return Entry(memory=_note(line), logs=frozenset([line.log]), seq=line.seq)
    chat = exchange_of(line.fields, line.ts)
    exchange = as_remembered(chat)
    turn_id = int(line.fields.get("turn_id", 0))
    place = float(line.fields.get("place", turn_id))
    memory = Memory(
        id=line.id,
        kind=MemoryKind.EXCHANGE,
        text=text_of(exchange),
        ts=line.ts,
        conversation=line.log,
        turn_id=turn_id,
        place=place,
        exchange=exchange,
    )
    return Entry(
        memory=memory,
        chat=chat,
        place=place,
        places={line.log: place},
        logs=frozenset([line.log]),
        seq=line.seq,
    )


def _note(line: Line) -> Memory:
    fields = line.fields
    return Memory(
        id=line.id,
        kind=MemoryKind(fields["kind"]),
        text=str(fields["text"]),
        ts=line.ts,
        conversation=str(fields.get("conversation", "")),
        pinned=bool(fields.get("pinned", False)),
        sources=tuple(fields.get("sources", ())),
    )


def _edited(entry: Entry, line: Line) -> Entry:
    """The memory keeps its time; `said_at` is the one that the chat now tells."""
    chat = exchange_of(line.fields, line.fields.get("said_at", entry.memory.ts))
    if entry.chat is not None and _is_half_erased(entry, line):
        chat = replace(entry.chat, ts=chat.ts)
    exchange = replace(as_remembered(chat), ts=entry.memory.ts)
    memory = replace(entry.memory, exchange=exchange, text=text_of(exchange))
    places = entry.places or {line.log or entry.memory.conversation: entry.place}
    return replace(entry, memory=memory, chat=chat, places=places, logs=entry.logs | {line.log})


def _placed(entry: Entry, line: Line) -> Entry:
    return replace(entry, places={**entry.places, line.log: float(line.fields["place"])})


def _removed(entry: Entry, line: Line) -> Entry:
    """From this conversation; a line that names none means all."""
    kept = {log: place for log, place in entry.places.items() if line.log not in ("", log)}
    return replace(entry, places=kept)


def _revised(entry: Entry, line: Line) -> Entry:
    said = entry if _is_half_erased(entry, line) else _said_anew(entry, line)
    return replace(said, logs=entry.logs | {line.log})


def _is_half_erased(entry: Entry, line: Line) -> bool:
    """Whether erasing was interrupted: as long as any line has words, so has the memory."""
    return bool(line.fields.get("purged")) and entry.has_words


def _said_anew(entry: Entry, line: Line) -> Entry:
    before = entry.memory.exchange
    if before is None:
        text, memory = str(line.fields["text"]), entry.memory
        log = str(line.fields.get("conversation", memory.conversation))
        return replace(entry, memory=replace(memory, text=text, conversation=log))
    exchange = replace(
        before,
        user=str(line.fields.get("user", before.user)),
        assistant=str(line.fields.get("assistant", before.assistant)),
    )
    return replace(entry, memory=replace(entry.memory, exchange=exchange, text=text_of(exchange)))


def _forgotten(entry: Entry, line: Line) -> Entry:
    return replace(entry, forgotten_at=line.ts, sealed=str(line.fields.get("sealed", "")))


def _pinned(entry: Entry, line: Line) -> Entry:
    return replace(entry, memory=replace(entry.memory, pinned=line.op is Op.PIN))


_FOLDS: Mapping[Op, Callable[[Entry, Line], Entry]] = {
    Op.EDIT: _edited,
    Op.PLACE: _placed,
    Op.REMOVE: _removed,
    Op.REVISE: _revised,
    Op.PIN: _pinned,
    Op.UNPIN: _pinned,
    Op.FORGET: _forgotten,
    Op.UNFORGET: lambda entry, _: replace(entry, forgotten_at=None, sealed=""),
}


def text_of(exchange: Exchange) -> str:
    """What is searched for an exchange: both sides, each after its speaker's name."""
    sides = (
        (exchange.user_name or "User", exchange.user),
        (exchange.assistant_name or "Assistant", exchange.assistant),
    )
    return "\n".join([f"{name}: {text}" for name, text in sides if text])


def exchange_fields(exchange: Exchange) -> dict[str, Any]:
    """The keys that a line carries for an exchange (OpenPersistentMemory's and ours)."""
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
    """Reads what exchange_fields wrote."""
    return Exchange(
        user=str(fields.get("user", "")),
        assistant=str(fields.get("assistant", "")),
        user_name=str(fields.get("user_name", "")),
        assistant_name=str(fields.get("assistant_name", "")),
        ts=ts,
        channel=str(fields.get("channel", "")),
        metadata=fields.get("metadata", NOTHING),
        turns=tuple(map(_turn_of, fields.get("turns", ()))),
    )


def _turn_of(fields: Mapping[str, Any]) -> Turn:
    return Turn(
        role=Role(fields["role"]),
        name=str(fields.get("name", "")),
        text=str(fields.get("text", "")),
        ts=fields.get("ts"),
        metadata=fields.get("metadata", NOTHING),
    )


def seal(secret: str, user: str, assistant: str) -> str:
    """A keyed hash by which a forgotten exchange is known again without its text (BLAKE2b)."""
    key = bytes.fromhex(secret)
    content = content_key(user, assistant).encode()
    return hashlib.blake2b(content, key=key, digest_size=16).hexdigest()


def erased(entry: Entry) -> Entry:
    """The entry without its words: what the transcript's purged lines would give."""
    memory = entry.memory
    if memory.exchange is None:
        return replace(entry, memory=replace(memory, text="", sources=()))
    empty = Exchange(user="", assistant="", ts=memory.ts)
    chat = replace(empty, ts=entry.chat.ts) if entry.chat else None
    return replace(entry, memory=replace(memory, text="", exchange=empty), chat=chat)
