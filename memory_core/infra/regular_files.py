"""Opens ordinary files only: a pipe would wait for ever, a device would never end.

Faults are OSErrors with a plain explanation, for `durable.naming()`.
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
    """Something else than a file lies there, or far more than one that this program wrote."""


def open_regular_file(path: Path) -> BinaryIO:
    """The file, open to be read. Raises NotOrdinaryError, OSError."""
    if os.path.isdir(path):  # Windows would speak of missing rights
        raise _refusal(errno.EISDIR, "it is a folder where a file belongs: move it away", path)
    fd = _open(path)
    try:
        if not stat.S_ISREG(os.fstat(fd).st_mode):
            told = "it is no file, but a pipe or a device: move it away"
            raise _refusal(errno.EINVAL, told, path)
        return os.fdopen(fd, "rb")
    except OSError:
        os.close(fd)
        raise


def read_regular_file(path: Path, *, largest: int = LARGEST_SMALL_FILE) -> bytes:
    """All bytes of the file. Raises NotOrdinaryError, also for more than `largest`, OSError."""
    with open_regular_file(path) as file:
        data = file.read(largest + 1)
    if len(data) > largest:
        raise _refusal(errno.EFBIG, f"it is larger than {largest >> 20} MB", path)
    return data


def read_own_file(path: Path) -> bytes | None:
    """All bytes of a file that this program wrote; None where there is none.

    Raises StorageFailed, also where something else lies in its place.
    """
    try:
        with durable_files.naming_errors(path):
            return read_regular_file(path)
    except StorageFailed as exc:
        if isinstance(exc.__cause__, FileNotFoundError):
            return None
        raise


def _open(path: Path) -> int:
    """A pipe is opened at once, whether anybody writes into it or not."""
    try:
        return os.open(path, _FLAGS)
    except OSError as exc:
        if exc.errno in (errno.ELOOP, errno.ENXIO):  # ENXIO: a socket
            told = "it is a link to itself or a socket: move it away"
            raise _refusal(exc.errno, told, path) from exc
        raise


def _refusal(number: int, told: str, path: Path) -> NotRegularFileError:
    return NotRegularFileError(number, told, str(path))
