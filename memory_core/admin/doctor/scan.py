"""Reads a log byte by byte as it is: every line with its place, sound or not, and what is torn."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from ...domain.errors import StorageCorrupt
from ...infra import durable_files, regular_files
from ...storage.log.events import Line, is_whole, unpack

_ID = re.compile(rb'"id":"([^"\\]{1,200})"')


@dataclass(frozen=True, slots=True, kw_only=True)
class Piece:
    """What stands between two newlines, from byte `start` on; the newline belongs to `data`.

    `line` is what it says; without one, `why` tells why not. `is_torn`: the newline is missing.
    `is_damaged` where the checksum tells so: a whole line that is not understood is none.
    """

    log: str
    start: int
    data: bytes
    line: Line | None = None
    why: str = ""
    is_torn: bool = False
    is_damaged: bool = False

    @property
    def ids(self) -> set[str]:
        """The ids that can still be read in it."""
        return {it.decode("utf-8", "replace") for it in _ID.findall(self.data)}


def pieces(path: Path, log: str, size: int) -> Iterator[Piece]:
    """Of the first `size` bytes: what is written behind them meanwhile is not looked at."""
    start = 0
    with durable_files.naming(path), regular_files.opened(path) as file:
        for data in file:
            if start + len(data) > size:
                return
            yield _piece(log, start, data)
            start += len(data)


def _piece(log: str, start: int, data: bytes) -> Piece:
    if not data.endswith(b"\n"):
        why = "the last line is torn: it was never acknowledged"
        return Piece(log=log, start=start, data=data, why=why, is_torn=True)
    try:
        return Piece(log=log, start=start, data=data, line=unpack(data[:-1], log))
    except StorageCorrupt as exc:
        is_damaged = not is_whole(data[:-1])
        return Piece(log=log, start=start, data=data, why=str(exc), is_damaged=is_damaged)
