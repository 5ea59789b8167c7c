"""Reads single rows of many files of equal form, which a search finds at random.

Opening a file and reading a row takes a fifth of the time of mapping it. All rows can be requested
before the first is read, so that the disk reads them side by side.
"""

import os
from collections.abc import Callable, Iterable, Sequence

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
                start, length = first * self._row_bytes, (end - first) * self._row_bytes
                os.posix_fadvise(file.handle, start, length, os.POSIX_FADV_WILLNEED)

    def read(self, number: int, rows: Sequence[int]) -> bytes:
        """Returns the rows one after the other; nothing if the file is lost or of another size.

        That also goes for a file that is cut off while it is open.
        """
        file, size = self._file(number), self._row_bytes
        if file is None:
            return b""
        found = b"".join([file.read(size, row * size) for row in rows])
        if len(found) < size * len(rows):
            self.drop(number)
            return b""
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
            file = _OpenFile(self._path_of(number))
        except OSError:
            return None
        if file.size != self._size:
            return None
        if len(self._files) >= self._max_open:
            del self._files[next(iter(self._files))]
        self._files[number] = file
        return file


class _OpenFile:
    """A file that is open until nobody refers to it. Raises OSError."""

    __slots__ = ("handle", "size")

    def __init__(self, path: str) -> None:
        self.handle = os.open(path, _FLAGS)
        self.size = os.fstat(self.handle).st_size
        if _CAN_ADVISE:  # else the system reads up to some megabytes around each row
            os.posix_fadvise(self.handle, 0, 0, os.POSIX_FADV_RANDOM)

    def __del__(self) -> None:
        if hasattr(self, "handle"):
            os.close(self.handle)

    if hasattr(os, "pread"):

        def read(self, size: int, start: int) -> bytes:
            return os.pread(self.handle, size, start)

    else:

        def read(self, size: int, start: int) -> bytes:
            os.lseek(self.handle, start, os.SEEK_SET)
            return os.read(self.handle, size)
