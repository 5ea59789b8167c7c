"""File locks between the programs of one machine."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from filelock import FileLock, Timeout

from ..domain.errors import StorageFailed
from .durable_files import FILE_MODE, FOLDER_MODE, make_folder, naming_errors, stat_or_none


def make_file_lock(path: Path) -> FileLock:
    """Returns a lock that any thread may release. It never falls back to a mere marker file."""
    return FileLock(path, thread_local=False, mode=FILE_MODE, fallback_to_soft=False)


def acquire(lock: FileLock, *, timeout_s: float = 0.0) -> None:
    """Acquires the lock. Missing folders of its file are made for their owner only.

    filelock would let everybody read them. It still makes those that another program removes at
    this moment. Folders whose mode this user cannot change stay as they are.
    Raises Timeout, OSError, StorageFailed.
    """
    folders = Path(lock.lock_file).parents
    make_folder(folders[0])
    before = list(map(_inode, folders))
    try:
        lock.acquire(timeout=timeout_s)
    finally:
        _restrict_new(folders, before)


def _restrict_new(folders: Sequence[Path], before: Sequence[int | None]) -> None:
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
    """Holds the lock inside the block and yields True; yields False if others still hold it.

    Raises StorageFailed if the file cannot be opened.
    """
    lock = make_file_lock(path)
    with naming_errors(path), suppress(Timeout):
        acquire(lock, timeout_s=timeout_s)
    try:
        yield lock.is_locked
    finally:
        lock.release()
