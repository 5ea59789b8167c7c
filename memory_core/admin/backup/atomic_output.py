"""Writes a file that appears complete or not at all, however long writing takes."""

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from ...infra import durable_files

_PREFIX, _SUFFIX = ".ltm-", ".part"
# Windows does not rename or delete open files. Elsewhere a lock protects the file.
_IS_WINDOWS = os.name == "nt"


@contextmanager
def atomic_file(path: Path) -> Iterator[BinaryIO]:
    """Yields a temporary file that replaces `path` when the block ends without an error.

    Only the owner may read it. Raises StorageFailed.
    """
    durable_files.make_folder(path.parent)
    remove_temporaries(path.parent)
    with durable_files.naming_errors(path):
        fd, temporary = _create_locked_file(path.parent)
    try:
        with durable_files.naming_errors(path), os.fdopen(fd, "wb", closefd=_IS_WINDOWS) as file:
            yield file
            file.flush()
            durable_files.sync(file.fileno(), path=path)
        with durable_files.naming_errors(path):
            os.replace(temporary, path)
    finally:
        with suppress(OSError):  # remove_temporaries() removes it later
            Path(temporary).unlink(missing_ok=True)
        if not _IS_WINDOWS:
            os.close(fd)  # releases the lock, so not before the rename
    durable_files.sync_folder(path.parent)


def remove_temporaries(folder: Path) -> None:
    """Removes half-written files of killed programs from this folder; never raises."""
    with suppress(OSError):
        for path in folder.glob(f"{_PREFIX}*{_SUFFIX}"):
            with suppress(OSError), _exclusive_lock(path):
                path.unlink()


@contextmanager
def _exclusive_lock(path: Path) -> Iterator[None]:
    """Locks the file. Raises OSError if another program has locked it."""
    if _IS_WINDOWS:
        yield
        return
    import fcntl

    with path.open("r+b") as file:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield


def _create_locked_file(folder: Path) -> tuple[int, str]:
    """Returns a new locked file.

    Tries again if another program's cleaning removes it before it is locked.
    """
    while True:
        fd, temporary = tempfile.mkstemp(dir=folder, prefix=_PREFIX, suffix=_SUFFIX)
        _lock(fd)
        if os.path.exists(temporary):
            return fd, temporary
        os.close(fd)


def _lock(fd: int) -> None:
    if not _IS_WINDOWS:
        import fcntl

        with suppress(OSError):  # without locks in the file system, no program removes it either
            fcntl.flock(fd, fcntl.LOCK_EX)
