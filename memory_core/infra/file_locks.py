"""Locks that programs of one machine hold by a file."""

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from filelock import FileLock, Timeout

from .durable_files import FILE_MODE, naming_errors


def make_file_lock(path: Path) -> FileLock:
    """Returns a lock that any thread may release. It never falls back to a mere marker file."""
    return FileLock(path, thread_local=False, mode=FILE_MODE, fallback_to_soft=False)


@contextmanager
def try_file_lock(path: Path, *, timeout_s: float = 0.0) -> Iterator[bool]:
    """Keeps other threads and programs out, and yields True; False if they still hold the lock.

    Raises StorageFailed if the file cannot be opened.
    """
    lock = make_file_lock(path)
    with naming_errors(path), suppress(Timeout):
        lock.acquire(timeout=timeout_s)
    try:
        yield lock.is_locked
    finally:
        lock.release()
