"""The lowest file layer: what it wrote is on the disk, or StorageFailed says that it may not be."""

import errno
import os
import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from itertools import takewhile
from pathlib import Path

from .errors import StorageFailed

FILE_MODE = 0o600
FOLDER_MODE = 0o700
TEMPORARY = ".*.tmp"  # how replace() names the new file while it is written
_IN_USE: set[str] = set()


@contextmanager
def naming(path: Path | str) -> Iterator[None]:
    """Turns an OSError inside into a StorageFailed that names `path`."""
    try:
        yield
    except OSError as exc:
        raise StorageFailed(f"{path}: {exc.strerror or exc}") from exc


def sync(fd: int, *, path: Path | str = "an open file") -> None:
    """Puts the file's content and size on the disk. `path` is only for the error's message."""
    with naming(path):
        _sync(fd)


def sync_folder(path: Path) -> None:
    """Puts the folder's list of names on the disk; Windows offers no such call and needs none."""
    if os.name == "nt":
        return
    with naming(path):
        fd = os.open(path, os.O_RDONLY)
        try:
            _sync_names(fd)
        finally:
            os.close(fd)


def replace(path: Path, data: bytes, *, mode: int = FILE_MODE) -> None:
    """Gives the file this content, all or nothing: after a crash it is the old one or the new."""
    with naming(path):
        fd, temporary = tempfile.mkstemp(dir=path.parent, prefix=".", suffix=".tmp")
        _IN_USE.add(temporary)
        try:
            _fill(fd, data)
            os.chmod(temporary, mode)
            os.replace(temporary, path)
        finally:
            Path(temporary).unlink(missing_ok=True)
            _IN_USE.discard(temporary)
    sync_folder(path.parent)


def sweep(folder: Path) -> None:
    """Removes what replace() left below this folder when the program was killed; never raises."""
    with suppress(OSError):
        for path in folder.rglob(TEMPORARY):
            if str(path) not in _IN_USE:
                path.unlink(missing_ok=True)


def remove(path: Path) -> None:
    """Removes what lies there, a file or a whole folder; nothing is fine too. Raises OSError."""
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


def remove_with_target(path: Path) -> None:
    """The same for a folder that may be a link: what it leads to goes first, so that nothing stays
    where nobody would look for it. Raises OSError.
    """
    if path.is_symlink() and path.is_dir():
        for inside in path.resolve().iterdir():
            remove(inside)
        with suppress(OSError):  # a disk's own folder stays, empty
            path.resolve().rmdir()
    remove(path)


def remove_for_good(path: Path) -> None:
    """The same, on the disk as well. Raises StorageFailed."""
    with naming(path):
        remove_with_target(path)
    sync_folder(path.parent)


def make_folder(path: Path) -> None:
    """Makes the folder and its missing parents, for their owner only."""
    with naming(path):  # the system may not even take the name
        missing = list(takewhile(lambda folder: not folder.is_dir(), (path, *path.parents)))
    for folder in reversed(missing):
        with naming(folder):
            folder.mkdir(mode=FOLDER_MODE, exist_ok=True)
        sync_folder(folder.parent)


def _fill(fd: int, data: bytes) -> None:
    with os.fdopen(fd, "wb") as file:
        file.write(data)
        file.flush()
        _sync(file.fileno())


def _sync(fd: int) -> None:
    if sys.platform == "darwin":
        _full_sync(fd)
    elif hasattr(os, "fdatasync"):
        os.fdatasync(fd)
    else:
        os.fsync(fd)


def _full_sync(fd: int) -> None:
    """macOS's fsync leaves the data in the drive's cache; network drives know only fsync."""
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
