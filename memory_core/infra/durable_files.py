"""Durable file operations: after each one the data is on the disk, or StorageFailed is raised."""

import errno
import os
import shutil
import stat
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from itertools import takewhile
from pathlib import Path

from ..domain.errors import StorageFailed

FILE_MODE = 0o600
FOLDER_MODE = 0o700
TEMPORARY = ".*.tmp"  # how replace() names the new file while it is written
_IN_USE: set[str] = set()
_ABANDONED_AFTER_S = 3_600.0  # writing one takes moments, unless the machine sleeps meanwhile
_MISSING_ERRNOS = (errno.ENOENT, errno.ENOTDIR, errno.ELOOP)
_ADVICE = {
    errno.ENOENT: "another program may have moved or deleted the folder: try again",
    errno.EEXIST: "a file or a broken link is in the way",
    errno.ENAMETOOLONG: "choose a shorter name",
    errno.ENOSPC: "make room on the disk, then try again",
    errno.EACCES: "let this user read and write there",
    errno.EROFS: "make the disk writable, or choose a folder on another one",
}


@contextmanager
def naming_errors(path: Path | str) -> Iterator[None]:
    """Turns an OSError inside the block into a StorageFailed that names `path`."""
    try:
        yield
    except OSError as exc:
        raise StorageFailed(f"{path}: {explain(exc)}") from exc


def explain(exc: OSError) -> str:
    """Returns the system's reason, and advice where there is any."""
    advice = _ADVICE.get(exc.errno or 0)
    reason = exc.strerror or str(exc) or type(exc).__name__
    return f"{reason} ({advice})" if advice else reason


def stat_or_none(path: Path | str) -> os.stat_result | None:
    """Returns the stat result, links followed; None if nothing exists there.

    Raises StorageFailed if that is unknown: a disk error never counts as a missing file.
    """
    try:
        return os.stat(path)
    except OSError as exc:
        if exc.errno in _MISSING_ERRNOS:
            return None
        raise StorageFailed(f"{path}: {explain(exc)}") from exc


def is_folder(path: Path) -> bool:
    """Returns whether the path is a folder, links followed. Raises StorageFailed if unknown."""
    found = stat_or_none(path)
    return found is not None and stat.S_ISDIR(found.st_mode)


def exists(path: Path) -> bool:
    """Returns whether anything exists there, even a dangling link. Raises StorageFailed."""
    with naming_errors(path):
        try:
            os.lstat(path)
        except (FileNotFoundError, NotADirectoryError):
            return False
    return True


def sync(fd: int, *, path: Path | str = "an open file") -> None:
    """Syncs the file's content and size to the disk. `path` only names the file in errors."""
    with naming_errors(path):
        _sync(fd)


def sync_folder(path: Path) -> None:
    """Syncs the folder's list of names to the disk; Windows offers no such call and needs none."""
    if os.name == "nt":
        return
    with naming_errors(path):
        fd = os.open(path, os.O_RDONLY)
        try:
            _sync_names(fd)
        finally:
            os.close(fd)


def replace(path: Path, data: bytes, *, mode: int = FILE_MODE) -> None:
    """Replaces the file's content atomically: after a crash it is the old or the new one.

    Raises StorageFailed.
    """
    _replace(path, data, mode=mode)
    sync_folder(path.parent)


def replace_without_sync(path: Path, data: bytes) -> None:
    """Replaces the file's content atomically, without waiting for the disk.

    A crash of the machine may lose the file; killing the program does not. Raises StorageFailed.
    """
    _replace(path, data, syncs=False)


def _replace(path: Path, data: bytes, *, mode: int = FILE_MODE, syncs: bool = True) -> None:
    with naming_errors(path):
        fd, temporary = tempfile.mkstemp(dir=path.parent, prefix=".", suffix=".tmp")
        _IN_USE.add(temporary)
        try:
            with os.fdopen(fd, "wb") as file:
                file.write(data)
                file.flush()
                if syncs:
                    _sync(file.fileno())
            os.chmod(temporary, mode)
            os.replace(temporary, path)
        finally:
            Path(temporary).unlink(missing_ok=True)
            _IN_USE.discard(temporary)


@contextmanager
def temporary_file(folder: Path, *, suffix: str = ".tmp") -> Iterator[Path]:
    """Yields an empty file for its owner only and removes it after the block, unless moved away.

    Whoever gives another suffix removes what killed programs leave. Raises StorageFailed.
    """
    with naming_errors(folder):
        fd, name = tempfile.mkstemp(dir=folder, prefix=".", suffix=suffix)
        os.close(fd)
    _IN_USE.add(name)
    try:
        yield Path(name)
    finally:
        _IN_USE.discard(name)  # first: what cannot be removed now is removed with the others later
        with naming_errors(name):
            Path(name).unlink(missing_ok=True)


def remove_temporaries(folder: Path) -> None:
    """Removes the temporary files that killed programs left below this folder. Never raises."""
    with suppress(OSError):
        for path in folder.rglob(TEMPORARY):
            if str(path) not in _IN_USE:
                path.unlink(missing_ok=True)


def remove_abandoned_temporaries(folder: Path) -> None:
    """Removes old temporary files from a folder that many programs write without a lock.

    Never raises.
    """
    for path in abandoned_temporaries(folder):
        with suppress(OSError):
            path.unlink()


def abandoned_temporaries(folder: Path) -> list[Path]:
    """Returns the files that remove_abandoned_temporaries() would remove. Never raises."""
    with suppress(OSError):
        found = [path for path in sorted(folder.glob(TEMPORARY)) if path.is_file()]
        latest = time.time() - _ABANDONED_AFTER_S
        return [path for path in found if path.lstat().st_mtime < latest]
    return []


def unlink(path: Path) -> None:
    """Removes a file, which may be missing. Raises StorageFailed."""
    with naming_errors(path):
        path.unlink(missing_ok=True)


def remove(path: Path) -> None:
    """Removes a file or a whole folder, which may be missing. Raises OSError."""
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


def remove_with_target(path: Path) -> None:
    """Removes a file or a folder; for a link to a folder, its target's content first.

    Nothing stays where nobody would look for it. Raises OSError.
    """
    if path.is_symlink() and path.is_dir():
        for inside in path.resolve().iterdir():
            remove(inside)
        with suppress(OSError):  # a mount point stays, empty
            path.resolve().rmdir()
    remove(path)


def remove_durably(path: Path) -> None:
    """Removes like remove_with_target() and syncs the parent folder. Raises StorageFailed."""
    with naming_errors(path):
        remove_with_target(path)
    sync_folder(path.parent)


def make_folder(path: Path) -> None:
    """Makes the folder and its missing parents, for their owner only. Raises StorageFailed."""
    missing = list(takewhile(lambda folder: not is_folder(folder), (path, *path.parents)))
    for folder in reversed(missing):
        with naming_errors(folder):
            folder.mkdir(mode=FOLDER_MODE, exist_ok=True)
        sync_folder(folder.parent)


def _sync(fd: int) -> None:
    if sys.platform == "darwin":
        _full_sync(fd)
    elif hasattr(os, "fdatasync"):
        os.fdatasync(fd)
    else:
        os.fsync(fd)


def _full_sync(fd: int) -> None:
    """Syncs on macOS, whose fsync leaves the data in the drive's cache.

    Network drives support only fsync.
    """
    import fcntl

    try:
        fcntl.fcntl(fd, fcntl.F_FULLFSYNC)  # type: ignore[attr-defined,unused-ignore]
    except OSError:
        os.fsync(fd)


def _sync_names(fd: int) -> None:
    try:
        os.fsync(fd)
    except OSError as exc:
        # Some network and FUSE file systems refuse to sync a folder; the files themselves are safe.
        if exc.errno not in (errno.EINVAL, errno.ENOTSUP):
            raise
