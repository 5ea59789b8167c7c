"""One append-only log file. Acknowledged lines are on disk; a torn end is cut off."""

import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO

from ...domain.errors import StorageCorrupt, StorageFailed
from ...infra import durable_files, regular_files
from .events import Event, find_whole_lines, is_whole, seq_of, unpack

# O_NONBLOCK: a pipe in the file's place is refused at once instead of blocking.
_WRITING = os.O_WRONLY | os.O_CREAT | getattr(os, "O_BINARY", 0) | getattr(os, "O_NONBLOCK", 0)

_BLOCK = 1 << 16


@dataclass(slots=True)
class LogSlice:
    """Result of one read: events, their byte offsets, and reports and bytes of damaged lines.

    `end` is the offset after the last complete line. Lines of a newer version at the end do not
    count, so that a version that knows them reads on from there.
    """

    events: list[Event] = field(default_factory=list)
    offsets: list[int] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    damaged: list[bytes] = field(default_factory=list)
    end: int = 0


def read(path: Path, log: str, start: int = 0, *, last: int | None = None) -> LogSlice:
    """Reads all lines from byte `start` on; damaged lines are reported in `problems`.

    With `last`, stops at the first line with a higher seq. Raises StorageFailed.
    """
    with durable_files.naming_errors(path), regular_files.open_regular_file(path) as file:
        file.seek(start)
        return read_lines(file, path.name, log, start, last=last)


def read_lines(
    lines: Iterable[bytes], where: str, log: str, start: int, *, last: int | None
) -> LogSlice:
    """Reads consecutive lines, the first of which begins at byte `start`, as read() does."""
    found, offset = LogSlice(end=start), start
    for data in lines:
        if not data.endswith(b"\n"):
            break
        known = len(found.events)
        is_known = _add_line(found, data[:-1], f"{where}, byte {offset}", log)
        if last is not None and any(line.seq > last for line in found.events[known:]):
            del found.events[known:]
            break
        found.offsets += [offset] * (len(found.events) - known)
        offset += len(data)
        found.end = offset if is_known else found.end
    return found


def read_again(path: Path, log: str, offsets: Sequence[int]) -> dict[tuple[int, int], Event]:
    """Returns the events that begin at these offsets, by offset and seq; omits missing ones.

    Raises StorageFailed.
    """
    lines: dict[tuple[int, int], Event] = {}
    with durable_files.naming_errors(path), regular_files.open_regular_file(path) as file:
        for offset in offsets:
            file.seek(offset)
            lines |= events_at(offset, file.readline(), path.name, log)
    return lines


def events_at(offset: int, data: bytes, where: str, log: str) -> dict[tuple[int, int], Event]:
    """Returns the events in the line that begins at this offset, by offset and seq."""
    found = LogSlice()
    _add_line(found, data.removesuffix(b"\n"), where, log)
    return {(offset, line.seq): line for line in found.events}


def _add_line(found: LogSlice, data: bytes, where: str, log: str) -> bool:
    """Adds a line to `found`. Returns False for a whole line of an unknown format."""
    try:
        found.events.append(unpack(data, log))
    except StorageCorrupt as exc:
        found.problems.append(f"{where}: {exc}")
        is_foreign = is_whole(data)
        inside, rest = ([], data) if is_foreign else find_whole_lines(data)
        for whole in inside:
            _add_line(found, whole, where, log)
        found.damaged += [rest + b"\n"] if rest else []
        return not is_foreign
    return True


def complete_lines(path: Path) -> Iterator[bytes]:
    """Yields the lines that are complete now, newlines included. Raises StorageFailed."""
    with durable_files.naming_errors(path), regular_files.open_regular_file(path) as file:
        left = os.fstat(file.fileno()).st_size
        for data in file:
            left -= len(data)
            if left < 0 or not data.endswith(b"\n"):
                return
            yield data


def readable_lines(path: Path, log: str) -> Iterator[Event]:
    """Yields the undamaged events of the file; none if the file is missing."""
    for data in complete_lines(path) if durable_files.exists(path) else ():
        with suppress(StorageCorrupt):
            yield unpack(data[:-1], log)


def last_seq(path: Path) -> int:
    """Returns the highest seq in the file; 0 for an empty one. Raises StorageFailed."""
    with durable_files.naming_errors(path), regular_files.open_regular_file(path) as file:
        return _seq_before(path, file, _complete_size(file, path.stat().st_size))


def last_seq_after_repair(path: Path) -> int:
    """Cuts off a torn end, then returns the highest seq. Only for the one writer of the file.

    Raises StorageFailed.
    """
    with durable_files.naming_errors(path):
        with regular_files.open_regular_file(path) as file:
            size = path.stat().st_size
            end = _complete_size(file, size)
            if end == size:
                return _seq_before(path, file, end)
        _repair_end(path, end)
        return last_seq(path)


def _seq_before(path: Path, file: BinaryIO, end: int) -> int:
    start = _complete_size(file, end - 1) if end else 0
    file.seek(start)
    return (seq_of(file.read(end - start)[:-1]) if end else 0) or _highest_seq(path)


def _highest_seq(path: Path) -> int:
    with regular_files.open_regular_file(path) as file:
        parts = (find_whole_lines(data)[0] for data in file if data.endswith(b"\n"))
        return max((seq_of(line) for lines in parts for line in lines), default=0)


class LogWriter:
    """Appends to one file. After a failure it first cuts back to the last acknowledged byte."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._end: int | None = None

    def write(self, data: bytes) -> int:
        """Writes and syncs packed lines; returns the offset after them. Raises StorageFailed."""
        try:
            end = self._verified_end()
            with self._open_at(end) as fd:
                left = memoryview(data)
                while left:
                    left = left[os.write(fd, left) :]
                durable_files.sync(fd)
                if end == 0:
                    durable_files.sync_folder(self._path.parent)
        except OSError as exc:
            self._end = None
            raise StorageFailed(f"{self._path} could not be written: {exc}") from exc
        except StorageFailed:
            self._end = None
            raise
        self._end = end + len(data)
        return self._end

    @contextmanager
    def _open_at(self, end: int) -> Iterator[int]:
        """Opens the file for writing at this offset; cuts it back to there if the block fails."""
        fd = os.open(self._path, _WRITING, durable_files.FILE_MODE)
        try:
            os.lseek(fd, end, os.SEEK_SET)
            yield fd
        except (OSError, StorageFailed):
            _truncate(fd, end)
            raise
        finally:
            os.close(fd)

    def _verified_end(self) -> int:
        """Returns the offset after the last complete line; cuts a torn line off."""
        size = self._path.stat().st_size if self._path.exists() else 0
        if not size:
            return 0
        if self._end != size:
            with regular_files.open_regular_file(self._path) as file:
                self._end = _complete_size(file, size)
            if self._end < size:
                self._end = _repair_end(self._path, self._end)
        return self._end


def _repair_end(path: Path, end: int) -> int:
    """Cuts a torn end off and returns the new end.

    If the end holds a whole line and more, only a newline was damaged. That line was acknowledged,
    so the end gets a new newline instead.
    """
    with path.open("r+b") as file:
        file.seek(end)
        tail = file.read()
        inside, rest = find_whole_lines(tail)
        if not (inside and rest):
            file.truncate(end)
            return end
        return end + len(tail) + file.write(b"\n")


def _truncate(fd: int, end: int) -> None:
    """Removes a half-written line, so that it never counts as an acknowledged one."""
    try:
        os.ftruncate(fd, end)
        os.fsync(fd)
    except OSError:
        return  # the end is verified again before the next append


def _complete_size(file: BinaryIO, size: int) -> int:
    """Returns the offset after the last newline among the first `size` bytes."""
    end = size
    while end > 0:
        start = max(0, end - _BLOCK)
        file.seek(start)
        newline = file.read(end - start).rfind(b"\n")
        if newline >= 0:
            return start + newline + 1
        end = start
    return 0
