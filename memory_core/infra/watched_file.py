"""Content of a small file, read again once another program has replaced it."""

import os
from collections.abc import Callable, Hashable
from pathlib import Path
from typing import Generic, TypeVar

from ..domain.errors import StorageFailed
from .deadlines import mark_checked, was_checked

T = TypeVar("T")
Stamp = Hashable


class WatchedFile(Generic[T]):
    """Calls `read` when the file has changed since the last call; the file may be missing.

    `stamp` distinguishes versions of the file. Writers replace it as a whole, so each version has
    its own inode.
    """

    def __init__(
        self,
        path: Path,
        read: Callable[[Path], T],
        stamp: Callable[[Path], Stamp | None] | None = None,
    ) -> None:
        self._path = path
        self._read = read
        self._stamp = stamp or file_stamp
        self._cached: tuple[Stamp | None, T] | None = None

    def get(self) -> T:
        """Returns the content; the last one read if the file is unreadable now. A prompt looks
        at the disk only once, and again after set_cached().

        Raises StorageFailed if it was never read, and any other error of `read`.
        """
        known = self._cached
        if known is not None and was_checked(known):
            return known[1]
        try:
            stamp = self._stamp(self._path)
            if known is None or stamp != known[0]:
                self._cached = known = (stamp, self._read(self._path))
        except StorageFailed:
            if known is None:
                raise
        mark_checked(known)
        return known[1]

    def set_cached(self, value: T) -> None:
        """Caches the content that was just written."""
        self._cached = (self._stamp(self._path), value)


def file_stamp(path: Path) -> Stamp | None:
    """Returns a value that differs for each version of a file; None for none."""
    try:
        found = os.stat(path)
    except OSError:  # `read` reports the reason
        return None
    return found.st_ino, found.st_mtime_ns, found.st_size
