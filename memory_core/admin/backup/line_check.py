"""Checks every line of a backup or a log before it is trusted."""

import math
from collections.abc import Mapping
from typing import Any

from ...domain.errors import ImportFailed, StorageCorrupt
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

    def __init__(self, prefix: str) -> None:
        self._prefix = prefix
        self._note_ids: set[str] = set()

    def for_log(self, log: str, member: str) -> "BackupLogCheck":
        return BackupLogCheck(self, log, f"{self._prefix}{member}")

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


class BackupLogCheck:
    """Checks the lines of one log, in order."""

    def __init__(self, whole: NamespaceEventCheck, log: str, name: str) -> None:
        self._namespace_check = whole
        self._log = log
        self._name = name
        self._last_seq = 0
        self._line_number = 0

    def check_line(self, data: bytes) -> None:
        """Checks one line, without its newline. Raises ImportFailed."""
        self._line_number += 1
        try:
            line = unpack(data, self._log)
            if type(line.seq) is not int or not self._last_seq < line.seq < _MAX_INTEGER:
                raise ValueError(f"seq {line.seq!r} does not rise")
            self._last_seq = line.seq
            self._namespace_check.check_event(line)
        except INVALID_EVENT_ERRORS as exc:
            raise ImportFailed(f"{self._name}, line {self._line_number}: {exc}") from exc
        except RecursionError as exc:
            raise ImportFailed(
                f"{self._name}, line {self._line_number}: nested too deeply"
            ) from exc


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
