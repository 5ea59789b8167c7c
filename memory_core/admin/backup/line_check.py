"""Checks every line of a backup or a log before it is trusted."""

import math
from collections.abc import Mapping
from typing import Any

from ...domain.errors import StorageCorrupt
from ...storage.log.events import CREATING_EVENTS, Event, EventType, unpack
from ...storage.log.projection import MemoryRecord, apply_event

_MAX_INTEGER = 1 << 53  # JSON readers and SQLite keep integers up to here exactly
_MAX_ID_CHARS = 200
_SECRET_CHARS = 32
_CONVERSATION_EVENTS = (EventType.ADD, EventType.EDIT, EventType.PLACE)
_NOTE_EVENTS = (EventType.INIT, EventType.NOTE)
INVALID_EVENT_ERRORS = (
    StorageCorrupt,
    ValueError,
    TypeError,
    KeyError,
    AttributeError,
    OverflowError,
)


class NamespaceEventCheck:
    """Checks that the projection accepts each event of one namespace, its notes first.

    Accepts a memory that is created twice; the later event counts.
    """

    def __init__(self) -> None:
        self._note_ids: set[str] = set()

    def check_line(self, data: bytes, log: str, *, after: int) -> int:
        """Checks a line of a log, without its newline, and returns its seq, which is above `after`.

        Raises one of INVALID_EVENT_ERRORS.
        """
        try:
            line = unpack(data, log)
            if type(line.seq) is not int or not after < line.seq < _MAX_INTEGER:
                raise ValueError(f"seq {line.seq!r} does not rise")
            self.check_event(line)
        except RecursionError as exc:
            raise ValueError("nested too deeply") from exc
        return line.seq

    def check_event(self, line: Event) -> None:
        """Raises one of INVALID_EVENT_ERRORS."""
        _check_id_and_time(line)
        _check_log(line)
        _check_fields(line)
        self._check_foldable(line)

    def _check_foldable(self, line: Event) -> None:
        """Raises ValueError if apply_event() cannot use the event."""
        if line.op is EventType.ADD and line.id in self._note_ids:
            raise ValueError("a note has its id")
        if line.op in CREATING_EVENTS:
            _check_entry(apply_event(None, line))
        else:
            _check_entry(
                apply_event(_SAMPLE_NOTE if line.id in self._note_ids else _SAMPLE_EXCHANGE, line)
            )
        if line.op is EventType.NOTE:
            self._note_ids.add(line.id)


def _check_id_and_time(line: Event) -> None:
    if not isinstance(line.id, str) or not 0 < len(line.id) <= _MAX_ID_CHARS:
        raise ValueError("it has no id")
    if line.ts is not None:
        _check_number("ts", line.ts, 1e15)


def _check_log(line: Event) -> None:
    if line.op in (_NOTE_EVENTS if line.log else _CONVERSATION_EVENTS):
        raise ValueError(f"{line.op} does not belong in this log")


def _check_fields(line: Event) -> None:
    fields = line.fields
    if line.op is EventType.INIT:
        if len(bytes.fromhex(fields["secret"])) * 2 != _SECRET_CHARS:
            raise ValueError("its secret is invalid")
        return
    for key in ("place", "turn_id"):
        if key in fields:
            _check_number(key, fields[key], _MAX_INTEGER)
    for turn in (fields, *fields.get("turns", ())):
        _check_message(turn)
    _check_derivation(fields)


def _check_derivation(fields: Mapping[str, Any]) -> None:
    for key in ("sources", "into", "reflected_into"):
        if not all(isinstance(name, str) for name in fields.get(key, ())):
            raise ValueError(f"its {key} are no ids")
    for key in ("event_from", "event_to", "valid_from", "valid_to"):
        if fields.get(key) is not None:
            _check_number(key, fields[key], 1e15)


def _check_message(fields: Mapping[str, Any]) -> None:
    if not isinstance(fields.get("metadata", {}), dict):
        raise ValueError("its metadata is no object")
    for key in ("ts", "said_at"):
        if fields.get(key) is not None:
            _check_number(key, fields[key], 1e15)


def _check_number(name: str, value: object, limit: float) -> None:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise ValueError(f"{name} is no number")
    if not (math.isfinite(value) and abs(value) <= limit):
        raise ValueError(f"{name} is out of range")


def _check_entry(entry: MemoryRecord | None) -> None:
    if entry is None:
        raise ValueError("it creates no memory")


def _sample_entry(op: EventType, **fields: object) -> MemoryRecord | None:
    log = "" if op is EventType.NOTE else "example"
    return apply_event(None, Event(seq=1, op=op, id="example", ts=0.0, fields=fields, log=log))


_SAMPLE_NOTE = _sample_entry(EventType.NOTE, kind="knowledge", text="")
_SAMPLE_EXCHANGE = _sample_entry(EventType.ADD, user="", assistant="", place=1.0)
