"""Format of the event log: encodes events as lines, and detects damaged lines.

A line is `{"v":1,"seq":…,"op":…,"id":…,"ts":…, …,"crc":"xxxxxxxx"}` and ends in a newline. The
crc is the CRC-32 (zlib) of the line's UTF-8 bytes before `,"crc":`, as 8 hex digits. `seq` rises
by one in a namespace over all its files; `ts` is in seconds since the epoch and orders no events.
Some events change a memory's derivation, such as SUPERSEDE and REFLECT.
"""

import re
import secrets
import zlib
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any

from ...domain.derivations import (
    DERIVATION_FIELDS,
    NO_DERIVATION,
    Derivation,
    derivation_of,
    derivation_or_none,
)
from ...domain.errors import StorageCorrupt
from ...domain.records import Memory, empty_mapping
from ...domain.unicode import is_well_formed
from ...infra.json_codec import dump_json, load_json

FORMAT = 1
_ID_BYTES = 8
_SECRET_BYTES = 16
_CRC_MARK = b',"crc":"'
_BEGIN = re.compile(rb'\{"v":')
# Metadata may contain the marks of a line's beginning or end. Each pair costs one checksum.
_MAX_BEGINNINGS, _MAX_ENDINGS = 100, 8
_END = re.compile(rb',"crc":"[0-9a-f]{8}"\}')
_OWN_KEYS = ("v", "seq", "op", "id", "ts", "crc")
_OWN = frozenset(_OWN_KEYS)
_NUMBERS = (int, float, bool, type(None))


class EventType(StrEnum):
    """Type of an event. The first four are in conversations' logs, the others in the notes."""

    ADD = "add"
    PLACE = "place"  # this conversation, too, shows an exchange of another one
    EDIT = "edit"
    REMOVE = "remove"
    INIT = "init"
    NOTE = "note"
    REVISE = "revise"
    PIN = "pin"
    UNPIN = "unpin"
    FORGET = "forget"
    UNFORGET = "unforget"
    SUPERSEDE = "supersede"  # a newer memory replaces this one
    REINSTATE = "reinstate"  # the memory is valid again
    REFLECT = "reflect"  # other memories were made from this one
    DOUBT = "doubt"  # the memory may contradict others, or no longer does
    REVIEW = "review"  # somebody rejected the memory as a note for every prompt, or no longer does


_EVENT_TYPES = {op.value: op for op in EventType}
# All other events refer to a memory that one of these created.
CREATING_EVENTS = (EventType.ADD, EventType.NOTE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """An event that is on disk. `log` names its conversation and is empty for notes."""

    seq: int
    op: EventType
    id: str
    ts: float | None
    fields: Mapping[str, Any] = field(default_factory=empty_mapping)
    log: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class NewEvent:
    """An event not yet written. Without `id` it gets a new one; without `log` it is a note."""

    op: EventType
    ts: float | None
    id: str = ""
    fields: Mapping[str, Any] = field(default_factory=empty_mapping)
    log: str = ""

    def with_seq(self, seq: int) -> Event:
        return Event(seq=seq, op=self.op, id=self.id, ts=self.ts, fields=self.fields, log=self.log)


def new_secret() -> str:
    """Returns a new key for tombstone hashes, as 32 hex digits."""
    return secrets.token_hex(_SECRET_BYTES)


def numbered(drafts: Sequence[NewEvent], last_seq: int) -> list[Event]:
    """Returns the events as they will be written after the event `last_seq`."""
    # Consecutive ids from a random start: an index then keeps one write's ids together.
    first = secrets.randbits(8 * _ID_BYTES)
    return [
        Event(
            seq=last_seq + 1 + n,
            op=draft.op,
            id=draft.id or f"{(first + n) % (1 << 8 * _ID_BYTES):016x}",
            ts=draft.ts,
            fields=dict(draft.fields),
            log=draft.log,
        )
        for n, draft in enumerate(drafts)
    ]


def pack(line: Event) -> bytes:
    """Returns the event's line as bytes, with its newline."""
    own = {"v": FORMAT, "seq": line.seq, "op": line.op, "id": line.id, "ts": line.ts}
    body = dump_json({**own, **line.fields, **own})[:-1]
    return body + _CRC_MARK + b'%08x"}\n' % zlib.crc32(body)


def is_of_type(op: EventType, line: bytes) -> bool:
    """Returns whether the line may be an event of this type, many times faster than unpack()."""
    return b'"op":"%s"' % op.encode() in line


def is_whole(data: bytes) -> bool:
    """Returns whether these bytes (without newline) match their checksum."""
    body, mark, rest = data.rpartition(_CRC_MARK)
    return bool(mark) and rest == b'%08x"}' % zlib.crc32(body)


def seq_of(data: bytes) -> int:
    """Returns the seq of a whole line (without newline) of any version; 0 for anything else."""
    try:
        seq = load_json(data)["seq"] if is_whole(data) else 0
    except (ValueError, KeyError, TypeError, RecursionError):
        return 0
    return seq if type(seq) is int else 0


def unpack(data: bytes, log: str) -> Event:
    """Decodes an event from a line (without newline). Raises StorageCorrupt if it is damaged."""
    if not is_whole(data):
        raise StorageCorrupt("the line does not match its checksum")
    try:
        found = load_json(data)
        if found["v"] != FORMAT:
            raise StorageCorrupt(f"format {found['v']!r} is newer than this software")
        _, seq, op, memory_id, ts, _ = map(found.pop, _OWN_KEYS)
        return Event(seq=seq, op=_EVENT_TYPES[op], id=memory_id, ts=ts, fields=found, log=log)
    except (ValueError, KeyError, TypeError, RecursionError) as exc:
        raise StorageCorrupt(f"the line is whole but not understood: {exc}") from exc


def after_round_trip(line: Event, data: bytes) -> Event:
    """Returns the event as unpack() reads it from `data`, which pack() made of `line`.

    Most events come back unchanged and are returned without decoding.
    """
    values = (line.id, line.ts, *line.fields.values())
    if _OWN.isdisjoint(line.fields) and all(map(_survives_round_trip, values)):
        return line
    return unpack(data[:-1], line.log)


def _survives_round_trip(value: object) -> bool:
    """Returns whether JSON keeps the value: it simplifies types and replaces lone surrogates."""
    if type(value) is str:
        return is_well_formed(value)
    return type(value) in _NUMBERS or value == {}


def find_whole_lines(data: bytes) -> tuple[list[bytes], bytes]:
    """Returns the whole lines (without newlines) within damaged bytes, and the remaining bytes.

    Where only a newline was damaged, the lines on both sides of it are whole.
    """
    found: list[bytes] = []
    rest: list[bytes] = []
    start, ends = 0, deque([0], maxlen=_MAX_ENDINGS)
    for end in _END.finditer(data):
        low = max(start, ends[0])
        part = data[low : end.end()]
        begin = _whole_line_start(part)
        if begin is not None:
            found.append(part[begin:])
            rest.append(data[start : low + begin])
            start = end.end()
        ends.append(end.end())
    return found, b"".join([*rest, data[start:]])


def _whole_line_start(part: bytes) -> int | None:
    """Returns the offset of the whole line that ends these bytes; None if there is none."""
    starts = [found.start() for found in _BEGIN.finditer(part)][-_MAX_BEGINNINGS:]
    return next((start for start in starts if is_whole(part[start:])), None)


def with_derivation_event(memory: Memory, line: Event) -> Memory:
    """Returns the memory after an event of DERIVATION_EVENTS; an exchange stays as it is."""
    if memory.exchange is not None:
        return memory
    changed = _HANDLERS[line.op](memory, memory.derived or NO_DERIVATION, line)
    return replace(memory, derived=derivation_or_none(changed))


def _superseded(_: Memory, derived: Derivation, line: Event) -> Derivation:
    valid_to = line.fields.get("valid_to", derived.valid_to)
    newer = str(line.fields["superseded_by"])
    return replace(
        derived, superseded_by=newer, valid_to=None if valid_to is None else float(valid_to)
    )


def _reinstated(_: Memory, derived: Derivation, __: Event) -> Derivation:
    return replace(derived, superseded_by="", valid_to=None)


def _reflected(memory: Memory, derived: Derivation, line: Event) -> Derivation:
    if not memory.text:  # erased
        return derived
    ids = (*derived.reflected_into, *map(str, line.fields["into"]))
    return replace(derived, reflected_into=tuple(dict.fromkeys(ids)))


def _doubted(_: Memory, derived: Derivation, line: Event) -> Derivation:
    return replace(derived, in_doubt_with=tuple(map(str, line.fields.get("with", ()))))


def _reviewed(_: Memory, derived: Derivation, line: Event) -> Derivation:
    return replace(derived, is_rejected=bool(line.fields.get("rejected", False)))


_HANDLERS: Mapping[EventType, Callable[[Memory, Derivation, Event], Derivation]] = {
    EventType.SUPERSEDE: _superseded,
    EventType.REINSTATE: _reinstated,
    EventType.REFLECT: _reflected,
    EventType.DOUBT: _doubted,
    EventType.REVIEW: _reviewed,
}
DERIVATION_EVENTS = frozenset(_HANDLERS)


def revised_derivation(memory: Memory, text: str, fields: Mapping[str, Any]) -> Derivation | None:
    """Returns the derivation after the memory's text was revised, with the event's own fields.

    A value that the event does not repeat may contradict the new text, so it is dropped.
    """
    if not text:
        return erased_derivation(memory.derived)
    if memory.derived is None:
        return derivation_of(fields)
    kept = memory.derived if text == memory.text else replace(memory.derived, value="")
    return derivation_of({**kept.to_fields(), **_own(fields)})


def erased_derivation(derived: Derivation | None) -> Derivation | None:
    """Returns the part of a derivation that stays when the memory's text is erased."""
    if derived is None:
        return None
    return derivation_or_none(
        Derivation(superseded_by=derived.superseded_by, valid_to=derived.valid_to)
    )


def _own(fields: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in fields.items() if name in DERIVATION_FIELDS}
