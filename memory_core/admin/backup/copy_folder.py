"""A folder of dated backups: its files, their contents, and the removal of memories from them."""

import calendar
import re
import time
from collections.abc import Callable, Iterator
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

from ...domain.errors import ImportFailed, StorageCorrupt
from ...domain.namespaces import Namespace
from ...infra.durable_files import exists, is_folder, naming_errors, unlink
from ...storage.log.event_log import EventLog
from ...storage.log.events import CREATING_EVENTS, unpack
from .layout import NamespaceContents
from .reader import BackupFile
from .zip_members import add_manifest, add_member, rewritten

_STAMP = "%Y%m%d-%H%M%S"
_NAME = re.compile(r"memories-(\d{8}-\d{6})\.zip")


@dataclass(frozen=True, slots=True, kw_only=True)
class BackupCopy:
    """A backup in the folder. `made_at` is in seconds since the epoch."""

    path: Path
    made_at: float


@dataclass(frozen=True, slots=True, kw_only=True)
class CopyContents:
    """Counts of a copy's contents; `exchanges` and `notes` include those forgotten since."""

    copy: BackupCopy
    namespaces: tuple[Namespace, ...]
    exchanges: int
    notes: int


def list_copies(folder: Path) -> list[BackupCopy]:
    """Returns the copies, newest first; ignores files of other names. Raises StorageFailed."""
    with naming_errors(folder):
        names = [path.name for path in folder.iterdir()] if is_folder(folder) else []
    found = [
        BackupCopy(path=folder / name, made_at=made)
        for name in names
        if (made := _time_in_name(name)) is not None
    ]
    return sorted(found, key=lambda copy: copy.made_at, reverse=True)


def new_path(folder: Path, now: float) -> Path:
    """Returns a path that no copy has yet."""
    names = (f"memories-{time.strftime(_STAMP, time.gmtime(now + n))}.zip" for n in range(1000))
    return next(folder / name for name in names if not exists(folder / name))


def _time_in_name(name: str) -> float | None:
    found = _NAME.fullmatch(name)
    try:
        return float(calendar.timegm(time.strptime(found[1], _STAMP))) if found else None
    except ValueError:
        return None


def read_contents(copy: BackupCopy) -> CopyContents:
    """Returns the counts that the copy's manifests state. Raises ImportFailed."""
    with BackupFile(copy.path) as file:
        return CopyContents(
            copy=copy,
            namespaces=tuple(contents.namespace for contents in file.contents),
            exchanges=sum(contents.counts.get("exchanges", 0) for contents in file.contents),
            notes=sum(contents.counts.get("notes", 0) for contents in file.contents),
        )


def check_copy(path: Path) -> None:
    """Reads the whole backup as restoring does. Raises ImportFailed."""
    with BackupFile(path) as file:
        for contents in file.contents:
            file.check(contents)


def memory_ids(path: Path) -> set[str]:
    """Returns the ids of all memories that the backup's events create. Raises ImportFailed."""
    with BackupFile(path) as file:
        return set(chain.from_iterable(_memory_ids(file, contents) for contents in file.contents))


def _memory_ids(file: BackupFile, contents: NamespaceContents) -> Iterator[str]:
    for name in contents.members:
        for data in file.lines(contents, name):
            try:
                line = unpack(data[:-1], EventLog.log_at(name) or "")
            except StorageCorrupt as exc:
                raise ImportFailed(f"{file.path}: {name}: {exc}") from exc
            if line.op in CREATING_EVENTS:
                yield line.id


def find_superseded(copies: list[BackupCopy], keep: int) -> Iterator[BackupCopy]:
    """Yields the copies beyond the newest `keep` of which newer ones hold all memories.

    `copies` are newest first. Unreadable copies do not count towards `keep`.
    """
    known: set[str] = set()
    readable = 0
    for copy in copies if len(copies) > keep else ():
        try:
            ids = memory_ids(copy.path)
        except ImportFailed:
            continue
        readable += 1
        if readable > keep and ids <= known:
            yield copy
        known |= ids


def remove_namespace(
    path: Path,
    namespace: Namespace,
    resolve: Callable[[Namespace], Namespace],
    deleted_in: Callable[[Namespace], AbstractSet[str]],
) -> bool:
    """Removes a namespace from a backup, also under other names; returns False if it held none.

    `deleted_in` returns the ids of its memories that no longer exist in a namespace: one with no
    others is the deleted one under a former name. Deletes the backup if nothing else is in it.
    Raises ImportFailed, StorageFailed.
    """
    with BackupFile(path) as file:
        left = [
            contents
            for contents in file.contents
            if namespace not in (contents.namespace, resolve(contents.namespace))
            and not _holds_only(file, contents, deleted_in(contents.namespace))
        ]
        if len(left) == len(file.contents):
            return False
    if left:
        with rewritten(path) as (file, archive):
            for contents in left:
                for name in contents.members:
                    add_member(archive, contents.prefix + name, file.lines(contents, name))
                add_manifest(archive, contents, now=file.made_at(contents))
    else:
        unlink(path)
    return True


def _holds_only(file: BackupFile, contents: NamespaceContents, ids: AbstractSet[str]) -> bool:
    own = set(_memory_ids(file, contents)) if ids else set()
    return bool(own) and own <= ids
