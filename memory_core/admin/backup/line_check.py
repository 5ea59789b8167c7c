"""Whether the lines of a foreign file are lines of ours: nothing else may become the truth."""

import math
from collections.abc import Mapping
from typing import Any

from ...domain.errors import ImportFailed, StorageCorrupt
from ...storage.log.events import BEGINNINGS, Line, Op, unpack
from ...storage.log.projection import Entry, fold

_LARGEST = 1 << 53  # what every reader of JSON and SQLite keeps exactly
_LONGEST_ID = 200
_SECRET_LETTERS = 32
_IN_CONVERSATIONS = (Op.ADD, Op.EDIT, Op.PLACE)
_IN_NOTES = (Op.INIT, Op.NOTE)
_UNUSABLE = (StorageCorrupt, ValueError, TypeError, KeyError, AttributeError, OverflowError)


class LineCheck:
    """Sees all lines of one namespace, its notes first, and accepts what the fold makes sense of:
    also a memory that is written twice, of which the later line counts.
    """

    def __init__(self, prefix: str) -> None:
        self._prefix = prefix
        self._notes: set[str] = set()

    def log(self, log: str, member: str) -> "LogCheck":
        return LogCheck(self, log, f"{self._prefix}{member}")

    def take(self, line: Line) -> None:
        """Raises one of _UNUSABLE."""
        _check_own(line)
        _check_log(line)
        _check_fields(line)
        self._check_history(line)

    def _check_history(self, line: Line) -> None:
        """That the fold of all lines will not stumble over this one."""
        if line.op is Op.ADD and line.id in self._notes:
            raise ValueError("a note has its id")
        if line.op in BEGINNINGS:
            _check_entry(fold(None, line))
        else:
            _check_entry(fold(_SOME_NOTE if line.id in self._notes else _SOME_EXCHANGE, line))
        if line.op is Op.NOTE:
            self._notes.add(line.id)


class LogCheck:
    """One log's lines, in their order; see() raises ImportFailed."""

    def __init__(self, whole: LineCheck, log: str, name: str) -> None:
        self._whole = whole
        self._log = log
        self._name = name
        self._before = 0
        self._number = 0

    def see(self, data: bytes) -> None:
        """`data` is one line without its newline."""
        self._number += 1
        try:
            line = unpack(data, self._log)
            if type(line.seq) is not int or not self._before < line.seq < _LARGEST:
                raise ValueError(f"seq {line.seq!r} does not rise")
            self._before = line.seq
            self._whole.take(line)
        except _UNUSABLE as exc:
            raise ImportFailed(f"{self._name}, line {self._number}: {exc}") from exc
        except RecursionError as exc:
            raise ImportFailed(f"{self._name}, line {self._number}: nested too deeply") from exc


def _check_own(line: Line) -> None:
    if not isinstance(line.id, str) or not 0 < len(line.id) <= _LONGEST_ID:
        raise ValueError("it has no id")
    if line.ts is not None:
        _check_number("ts", line.ts, 1e15)


def _check_log(line: Line) -> None:
    if line.op in (_IN_NOTES if line.log else _IN_CONVERSATIONS):
        raise ValueError(f"{line.op} does not belong into this log")


def _check_fields(line: Line) -> None:
    fields = line.fields
    if line.op is Op.INIT:
        if len(bytes.fromhex(fields["secret"])) * 2 != _SECRET_LETTERS:
            raise ValueError("its secret is none")
        return
    for key in ("place", "turn_id"):
        if key in fields:
            _check_number(key, fields[key], _LARGEST)
    for turn in (fields, *fields.get("turns", ())):
        _check_turn(turn)
    if not all(isinstance(it, str) for it in fields.get("sources", ())):
        raise ValueError("its sources are no ids")


def _check_turn(fields: Mapping[str, Any]) -> None:
    if not isinstance(fields.get("metadata", {}), dict):
        raise ValueError("its metadata are none")
    for key in ("ts", "said_at"):
        if fields.get(key) is not None:
            _check_number(key, fields[key], 1e15)


def _check_number(name: str, value: object, limit: float) -> None:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise ValueError(f"{name} is no number")
    if not (math.isfinite(value) and abs(value) <= limit):
        raise ValueError(f"{name} is out of all measure")


def _check_entry(entry: Entry | None) -> None:
    if entry is None:
        raise ValueError("it leads to nothing")


def _example(op: Op, **fields: object) -> Entry | None:
    log = "" if op is Op.NOTE else "example"
    return fold(None, Line(seq=1, op=op, id="example", ts=0.0, fields=fields, log=log))


_SOME_NOTE = _example(Op.NOTE, kind="knowledge", text="")
_SOME_EXCHANGE = _example(Op.ADD, user="", assistant="", place=1.0)
