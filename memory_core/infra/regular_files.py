"""Reads regular files only: a pipe would block for ever, a device would never end.

Errors are OSErrors with a plain explanation, for `durable_files.naming_errors()`. A watched file is
read again once another program has replaced it.
"""

import errno
import os
import stat
from collections.abc import Callable, Hashable
from pathlib import Path
from typing import BinaryIO, Generic, TypeVar

from ..domain.errors import StorageFailed
from . import durable_files
from .deadlines import mark_checked, was_checked

LARGEST_SMALL_FILE = 64 * 2**20
_FLAGS = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
T = TypeVar("T")
Stamp = Hashable


class NotRegularFileError(OSError):
    """The path is not a regular file, or it is far larger than any that this program writes."""


def open_regular_file(path: Path) -> BinaryIO:
    """Opens the file for reading. Raises NotRegularFileError, OSError."""
    if os.path.isdir(path):  # Windows would report missing rights
        raise _refusal(errno.EISDIR, "it is a folder where a file belongs: move it away", path)
    try:
        fd = os.open(path, _FLAGS)  # without blocking, even a pipe that nobody writes into
    except OSError as exc:
        if exc.errno in (errno.ELOOP, errno.ENXIO):  # ENXIO: a socket
            reason = "it is a link to itself or a socket: move it away"
            raise _refusal(exc.errno, reason, path) from exc
        raise
    try:
        if not stat.S_ISREG(os.fstat(fd).st_mode):
            reason = "it is no file, but a pipe or a device: move it away"
            raise _refusal(errno.EINVAL, reason, path)
        return os.fdopen(fd, "rb")
    except OSError:
        os.close(fd)
        raise


def read_regular_file(path: Path, *, largest: int = LARGEST_SMALL_FILE) -> bytes:
    """Returns all bytes of the file. Raises NotRegularFileError, also above `largest`, OSError."""
    with open_regular_file(path) as file:
        data = file.read(largest + 1)
    if len(data) > largest:
        raise _refusal(errno.EFBIG, f"it is larger than {largest >> 20} MB", path)
    return data


def read_own_file(path: Path) -> bytes | None:
    """Returns all bytes of a file that this program wrote; None if there is none.

    Raises StorageFailed, also if the path is not a regular file.
    """
    try:
        with durable_files.naming_errors(path):
            return read_regular_file(path)
    except StorageFailed as exc:
        if isinstance(exc.__cause__, FileNotFoundError):
            return None
        raise


def _refusal(number: int, reason: str, path: Path) -> NotRegularFileError:
    return NotRegularFileError(number, reason, str(path))


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
