"""Content of a small file, read again once another program has replaced it."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Generic, TypeVar

from ..domain.errors import StorageFailed

T = TypeVar("T")
_Stamp = tuple[int, int, int]


class WatchedFile(Generic[T]):
    """Calls `read` when the file has changed since the last call; the file may be missing.

    Writers replace the file as a whole, so each version has its own inode.
    """

    def __init__(self, path: Path, read: Callable[[Path], T]) -> None:
        self._path = path
        self._read = read
        self._cached: tuple[_Stamp | None, T] | None = None

    def get(self) -> T:
        """Returns the content; the last one read if the file is unreadable now.

        Raises StorageFailed if it was never read, and any other error of `read`.
        """
        known = self._cached
        try:
            stamp = _file_stamp(self._path)
            if known is None or stamp != known[0]:
                self._cached = known = (stamp, self._read(self._path))
        except StorageFailed:
            if known is None:
                raise
        return known[1]

    def set_cached(self, value: T) -> None:
        """Caches the content that was just written."""
        self._cached = (_file_stamp(self._path), value)


def _file_stamp(path: Path) -> _Stamp | None:
    try:
        found = os.stat(path)
    except OSError:  # `read` reports the reason
        return None
    return found.st_ino, found.st_mtime_ns, found.st_size
