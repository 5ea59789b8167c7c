"""Reads every line of a log with its byte offset, whether sound, damaged or torn."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from ...domain.errors import StorageCorrupt
from ...infra import durable_files, regular_files
from ...storage.log.events import Event, is_whole, unpack

_ID = re.compile(rb'"id":"([^"\\]{1,200})"')


@dataclass(frozen=True, slots=True, kw_only=True)
class LogLine:
    """One line of a log with its newline, from byte `start` on.

    `event` is None for a line that cannot be read, with the reason in `damage_reason`. `is_torn` if
    the newline is missing. `is_damaged` if the checksum is wrong; an event of an unknown kind is
    not damaged.
    """

    log: str
    start: int
    data: bytes
    event: Event | None = None
    damage_reason: str = ""
    is_torn: bool = False
    is_damaged: bool = False

    @property
    def readable_ids(self) -> set[str]:
        """The ids that are still readable in the line."""
        return {match.decode("utf-8", "replace") for match in _ID.findall(self.data)}


def scan_lines(path: Path, log: str, size: int) -> Iterator[LogLine]:
    """Yields the lines in the first `size` bytes; later ones may be unfinished."""
    start = 0
    with durable_files.naming_errors(path), regular_files.open_regular_file(path) as file:
        for data in file:
            if start + len(data) > size:
                return
            yield _parse_line(log, start, data)
            start += len(data)


def _parse_line(log: str, start: int, data: bytes) -> LogLine:
    if not data.endswith(b"\n"):
        reason = "the last line is torn: it was never acknowledged"
        return LogLine(log=log, start=start, data=data, damage_reason=reason, is_torn=True)
    try:
        return LogLine(log=log, start=start, data=data, event=unpack(data[:-1], log))
    except StorageCorrupt as exc:
        is_damaged = not is_whole(data[:-1])
        return LogLine(
            log=log, start=start, data=data, damage_reason=str(exc), is_damaged=is_damaged
        )
