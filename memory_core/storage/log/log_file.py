"""One append-only file: what append returned from is on disk; a torn end is cut."""

import os
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO

from ...domain.errors import StorageCorrupt, StorageFailed
from ...infra import durable_files, regular_files
from .events import Event, find_whole_lines, is_whole, pack, seq_of, unpack

# O_NONBLOCK: a pipe in its place is refused, not waited for.
_WRITING = os.O_WRONLY | os.O_CREAT | getattr(os, "O_BINARY", 0) | getattr(os, "O_NONBLOCK", 0)


@dataclass(slots=True)
class LogSlice:
    """What one look at a file found: lines, the byte at which each begins, and of damaged ones a
    report and their bytes.

    `end` is the offset behind the last complete line, but not behind what a newer version wrote
    last: who knows that one day reads on from there.
    """

    events: list[Event] = field(default_factory=list)
    offsets: list[int] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    damaged: list[bytes] = field(default_factory=list)
    end: int = 0


def read(path: Path, log: str, start: int = 0, *, last: int | None = None) -> LogSlice:
    """All lines from byte `start` on; damaged ones are told in `bad` and passed over.

    With `last`, only those in front of the first that has a higher seq.
    """
    found, at = LogSlice(end=start), start
    with durable_files.naming_errors(path), regular_files.open_regular_file(path) as file:
        file.seek(start)
        for data in file:
            if not data.endswith(b"\n"):
                break
            known = len(found.events)
            is_known = _add_line(found, data[:-1], f"{path.name}, byte {at}", log)
            if last is not None and any(line.seq > last for line in found.events[known:]):
                del found.events[known:]
                break
            found.offsets += [at] * (len(found.events) - known)
            at += len(data)
            found.end = at if is_known else found.end
    return found


def read_again(path: Path, log: str, offsets: Sequence[int]) -> dict[tuple[int, int], Event]:
    """The lines that begin at these bytes, by offset and seq, as far as they stand there."""
    lines: dict[tuple[int, int], Event] = {}
    with durable_files.naming_errors(path), regular_files.open_regular_file(path) as file:
        for at in offsets:
            file.seek(at)
            found = LogSlice()
            _add_line(found, file.readline().removesuffix(b"\n"), path.name, log)
            lines |= {(at, line.seq): line for line in found.events}
    return lines


def _add_line(found: LogSlice, data: bytes, where: str, log: str) -> bool:
    """Whether it is more than a line that is whole and not understood."""
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
    """The lines that are complete now, newlines included, one at a time."""
    with durable_files.naming_errors(path), regular_files.open_regular_file(path) as file:
        left = os.fstat(file.fileno()).st_size
        for data in file:
            left -= len(data)
            if left < 0 or not data.endswith(b"\n"):
                return
            yield data


def readable_lines(path: Path, log: str) -> Iterator[Event]:
    """The lines that can be read now, one at a time; none where there is no file."""
    for data in complete_lines(path) if durable_files.exists(path) else ():
        with suppress(StorageCorrupt):
            yield unpack(data[:-1], log)


def last_seq(path: Path) -> int:
    """The highest seq in the file, 0 for an empty one; the last line has it unless damaged."""
    with durable_files.naming_errors(path), regular_files.open_regular_file(path) as file:
        return _seq_before(path, file, _complete_size(file, path.stat().st_size))


def last_seq_after_repair(path: Path) -> int:
    """The same, for who alone writes here: what no line ends is cut off. Raises StorageFailed."""
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
        return max((seq_of(it) for part in parts for it in part), default=0)


class LogWriter:
    """Appends to one file. After a failure it cuts back to the last acknowledged byte first."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._end: int | None = None

    def append(self, *lines: Event) -> int:
        """Writes and syncs the lines; returns the offset behind them. Raises StorageFailed."""
        return self.write(b"".join(map(pack, lines)))

    def write(self, data: bytes) -> int:
        """The same for lines as pack() gives them."""
        try:
            end = self._verified_end()
            self._write(data, end)
        except OSError as exc:
            self._end = None
            raise StorageFailed(f"{self._path} could not be written: {exc}") from exc
        except StorageFailed:
            self._end = None
            raise
        self._end = end + len(data)
        return self._end

    def _write(self, data: bytes, end: int) -> None:
        fd = os.open(self._path, _WRITING, durable_files.FILE_MODE)
        try:
            _write_at(fd, data, end)
            durable_files.sync(fd)
            if end == 0:
                durable_files.sync_folder(self._path.parent)
        except (OSError, StorageFailed):
            _truncate(fd, end)
            raise
        finally:
            os.close(fd)

    def _verified_end(self) -> int:
        """Where the next line goes: behind the last complete line, a torn one cut off."""
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
    """Cuts a torn end off. Where a whole line and more stand in it, a newline was damaged: that
    line was acknowledged, and gets another.
    """
    with path.open("r+b") as file:
        file.seek(end)
        tail = file.read()
        inside, rest = find_whole_lines(tail)
        if not (inside and rest):
            file.truncate(end)
            return end
        return end + len(tail) + file.write(b"\n")


def _write_at(fd: int, data: bytes, offset: int) -> None:
    os.lseek(fd, offset, os.SEEK_SET)
    left = memoryview(data)
    while left:
        left = left[os.write(fd, left) :]


def _truncate(fd: int, end: int) -> None:
    """Takes back a half-written line, so that it can never be taken for an acknowledged one."""
    try:
        os.ftruncate(fd, end)
        os.fsync(fd)
    except OSError:
        return  # the end is verified again before the next append


def _complete_size(file: BinaryIO, size: int, block: int = 1 << 16) -> int:
    """The offset behind the last newline among the first `size` bytes."""
    end = size
    while end > 0:
        start = max(0, end - block)
        file.seek(start)
        at = file.read(end - start).rfind(b"\n")
        if at >= 0:
            return start + at + 1
        end = start
    return 0
