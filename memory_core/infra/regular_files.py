"""Opens regular files only: a pipe would block for ever, a device would never end.

Errors are OSErrors with a plain explanation, for `durable_files.naming_errors()`.
"""

import errno
import os
import stat
from pathlib import Path
from typing import BinaryIO

from ..domain.errors import StorageFailed
from . import durable_files

LARGEST_SMALL_FILE = 64 * 2**20
_FLAGS = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)


class NotRegularFileError(OSError):
    """The path is not a regular file, or it is far larger than any that this program writes."""


def open_regular_file(path: Path) -> BinaryIO:
    """Opens the file for reading. Raises NotRegularFileError, OSError."""
    if os.path.isdir(path):  # Windows would report missing rights
        raise _refusal(errno.EISDIR, "it is a folder where a file belongs: move it away", path)
    fd = _open(path)
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


def _open(path: Path) -> int:
    """Opens without blocking, even a pipe that nobody writes into."""
    try:
        return os.open(path, _FLAGS)
    except OSError as exc:
        if exc.errno in (errno.ELOOP, errno.ENXIO):  # ENXIO: a socket
            reason = "it is a link to itself or a socket: move it away"
            raise _refusal(exc.errno, reason, path) from exc
        raise


def _refusal(number: int, reason: str, path: Path) -> NotRegularFileError:
    return NotRegularFileError(number, reason, str(path))
