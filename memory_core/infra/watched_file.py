"""What a small file holds, read again once somebody else has written it: another program may."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Generic, TypeVar

from ..domain.errors import StorageFailed

T = TypeVar("T")
_Stamp = tuple[int, int, int]


class WatchedFile(Generic[T]):
    """`read` is called when the file is another one than before, and need not find it.

    Whoever writes replaces the file as a whole, so that it has another number then.
    """

    def __init__(self, path: Path, read: Callable[[Path], T]) -> None:
        self._path = path
        self._read = read
        self._cached: tuple[_Stamp | None, T] | None = None

    def get(self) -> T:
        """What was read last where it cannot be looked at any more. Raises what `read` does."""
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
        """This is what was just written there."""
        self._cached = (_file_stamp(self._path), value)


def _file_stamp(path: Path) -> _Stamp | None:
    try:
        found = os.stat(path)
    except OSError:  # reading it tells why
        return None
    return found.st_ino, found.st_mtime_ns, found.st_size
