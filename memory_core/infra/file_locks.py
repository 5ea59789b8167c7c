"""Locks that programs of one machine hold by a file."""

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from filelock import FileLock, Timeout

from ..domain.errors import StorageFailed
from .durable_files import FILE_MODE, FOLDER_MODE, naming_errors, stat_or_none


def make_file_lock(path: Path) -> FileLock:
    """Returns a lock that any thread may release. It never falls back to a mere marker file."""
    return FileLock(path, thread_local=False, mode=FILE_MODE, fallback_to_soft=False)


def acquire(lock: FileLock, *, timeout_s: float = 0.0) -> None:
    """Acquires the lock; folders that had to be made for its file are for their owner only.

    The lock's library makes them for everybody to read, for instance when another program has
    just removed the folder. Folders whose mode this user cannot change stay as they are: the lock
    is held all the same. Raises Timeout, OSError, StorageFailed.
    """
    folders = Path(lock.lock_file).parents
    before = list(map(_inode, folders))
    lock.acquire(timeout=timeout_s)
    with suppress(OSError, StorageFailed):
        for folder, known in zip(folders, before, strict=True):
            if _inode(folder) == known:
                break
            folder.chmod(folder.stat().st_mode & FOLDER_MODE)


def _inode(folder: Path) -> int | None:
    found = stat_or_none(folder)
    return found and found.st_ino


@contextmanager
def try_file_lock(path: Path, *, timeout_s: float = 0.0) -> Iterator[bool]:
    """Keeps other threads and programs out, and yields True; False if they still hold the lock.

    Raises StorageFailed if the file cannot be opened.
    """
    lock = make_file_lock(path)
    with naming_errors(path), suppress(Timeout):
        acquire(lock, timeout_s=timeout_s)
    try:
        yield lock.is_locked
    finally:
        lock.release()
