"""Reads single rows of many files of equal form, which a search finds at random.

Opening a file and reading a row takes a fifth of the time of mapping it. But rows of a mapped file
are read in one step, so a file that is read often is mapped. All rows can be requested before the
first is read, so that the disk reads them side by side.
"""

import mmap
import os
from collections.abc import Callable, Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

Table = NDArray[np.uint8]
_READS_UNTIL_MAPPED = 8
_FLAGS = os.O_RDONLY | getattr(os, "O_BINARY", 0)
_CAN_ADVISE = hasattr(os, "posix_fadvise")  # not on macOS and Windows


class RowFiles:
    """Files by number, of `rows` rows with `row_bytes` each; at most `max_open` stay open."""

    def __init__(
        self, path_of: Callable[[int], str], *, rows: int, row_bytes: int, max_open: int
    ) -> None:
        self._path_of = path_of
        self._row_bytes = row_bytes
        self._size = rows * row_bytes
        self._max_open = max_open
        self._files: dict[int, _OpenFile] = {}

    def request(self, number: int, spans: Iterable[tuple[int, int]]) -> None:
        """Asks the system to read spans of rows, each from its first to its end; does not wait."""
        if _CAN_ADVISE and (file := self._file(number)):
            for first, end in spans:
                file.request(first * self._row_bytes, (end - first) * self._row_bytes)

    def read(self, number: int, rows: Sequence[int]) -> Table | None:
        """Returns the rows, shape (n, row_bytes); None if the file is lost or of another size.

        That also goes for a file that is cut off while it is open.
        """
        file = self._file(number)
        found = file.read(rows) if file else None
        if found is None:
            self.drop(number)
        return found

    def drop(self, number: int) -> None:
        """Closes a file that is about to change."""
        self._files.pop(number, None)

    def close(self) -> None:
        self._files.clear()

    def _file(self, number: int) -> "_OpenFile | None":
        if (file := self._files.get(number)) is not None:
            return file
        try:
            file = _OpenFile(self._path_of(number), self._row_bytes)
        except OSError:
            return None
        if file.size != self._size:
            return None
        if len(self._files) >= self._max_open:
            del self._files[next(iter(self._files))]
        self._files[number] = file
        return file


class _OpenFile:
    """A file that is open, later mapped, until nobody refers to it. Raises OSError."""

    def __init__(self, path: str, row_bytes: int) -> None:
        self._handle = os.open(path, _FLAGS)
        self.size = os.fstat(self._handle).st_size
        self._row_bytes = row_bytes
        self._reads = 0
        self._mapped: tuple[mmap.mmap, Table] | None = None
        if _CAN_ADVISE:  # else the system reads up to some megabytes around each row
            os.posix_fadvise(self._handle, 0, 0, os.POSIX_FADV_RANDOM)

    def __del__(self) -> None:
        if getattr(self, "_handle", -1) >= 0:
            os.close(self._handle)

    def request(self, start: int, length: int) -> None:
        if self._mapped is None:
            os.posix_fadvise(self._handle, start, length, os.POSIX_FADV_WILLNEED)
        else:
            page = start - start % mmap.PAGESIZE
            self._mapped[0].madvise(mmap.MADV_WILLNEED, page, start + length - page)

    def read(self, rows: Sequence[int]) -> Table | None:
        """Returns the rows, shape (n, row_bytes); None if the file was cut off."""
        if self._mapped is None:
            self._reads += 1
            if self._reads > _READS_UNTIL_MAPPED:
                self._become_mapped()
        if self._mapped is not None:
            memory, table = self._mapped
            return table.take(rows, axis=0) if memory.size() == self.size else None
        size = self._row_bytes
        found = b"".join([self._read(size, row * size) for row in rows])
        is_whole = len(found) == size * len(rows)
        return np.frombuffer(found, np.uint8).reshape(-1, size) if is_whole else None

    def _become_mapped(self) -> None:
        """Maps the file, which keeps it open, in place of its handle."""
        if os.fstat(self._handle).st_size != self.size:
            return
        memory = mmap.mmap(self._handle, 0, access=mmap.ACCESS_READ)
        os.close(self._handle)
        self._handle = -1
        if _CAN_ADVISE:
            memory.madvise(mmap.MADV_RANDOM)
        self._mapped = memory, np.frombuffer(memory, np.uint8).reshape(-1, self._row_bytes)

    if hasattr(os, "pread"):

        def _read(self, size: int, start: int) -> bytes:
            return os.pread(self._handle, size, start)

    else:

        def _read(self, size: int, start: int) -> bytes:
            os.lseek(self._handle, start, os.SEEK_SET)
            return os.read(self._handle, size)
