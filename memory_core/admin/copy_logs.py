"""Copies the logs of all namespaces between files and a database, and compares them afterwards.

Logs are copied byte by byte. Logs copied before are recognised by their SHA-256, so an interrupted
copy continues. Nothing is deleted at the source.
"""

import hashlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from ..domain.errors import StorageFailed
from ..domain.namespaces import Namespace
from ..storage import held, pauses
from ..storage.engine import OpenLog
from ..storage.log.contract import Log
from ..storage.shared import SharedStorage
from ..storage.small_files import SmallFiles


@dataclass(frozen=True, slots=True, kw_only=True)
class CopiedLog:
    """A log that is now equal in both places. `is_new` is False if it was equal before."""

    namespace: Namespace
    log: str
    events: int
    size: int
    sha256: str
    is_new: bool


def copy_logs(
    root: Path, spaces: Iterable[Namespace], *, source: OpenLog, target: OpenLog
) -> Iterator[CopiedLog]:
    """Copies every log of these namespaces; yields each once it is verified.

    Other programs can read meanwhile, but not write. Raises StorageLocked if one writes a folder,
    and StorageFailed, also if the target has other lines, which are never replaced.
    """
    for namespace in spaces:
        folder = namespace.folder(root)
        yield from _copy_namespace(namespace, source(folder), target(folder))


def copy_small_files(
    root: Path,
    spaces: Iterable[Namespace],
    names: Sequence[str],
    *,
    source: SharedStorage,
    target: SharedStorage,
) -> None:
    """Copies names, pauses and held messages, and the files of the root that `names` lists.

    They replace those of the target. Raises StorageFailed.
    """
    for name in names:
        _copy_file(root / name, source.files, target.files)
    for namespace in spaces:
        target.namespaces.note_names(namespace)
        for name in (pauses.FILE, held.FILE):
            _copy_file(namespace.folder(root) / name, source.files, target.files)


def _copy_file(path: Path, source: SmallFiles, target: SmallFiles) -> None:
    data = source.read(path)
    if data is not None and data != target.read(path):
        target.replace(path, data)


def _copy_namespace(namespace: Namespace, source: Log, target: Log) -> Iterator[CopiedLog]:
    try:
        with source.exclusive(), target.exclusive():
            for opened in (source, target):
                opened.lock_for_writing()
            for log in source.logs():
                yield _copy_log(namespace, log, source, target)
    finally:
        source.close()
        target.close()


def _copy_log(namespace: Namespace, log: str, source: Log, target: Log) -> CopiedLog:
    content = source.content(log)
    there = target.content(log)
    if not content.startswith(there):
        raise StorageFailed(
            f"{namespace.label}: the target has other lines in {_name(log)}; nothing was replaced. "
            "Copy into an empty database or folder, or remove that namespace there first"
        )
    if there != content:
        target.rewrite(log, content)
    return _verified(namespace, log, source, target, is_new=there != content)


def _verified(
    namespace: Namespace, log: str, source: Log, target: Log, *, is_new: bool
) -> CopiedLog:
    """Reads both logs again and compares them. Raises StorageFailed."""
    wanted, found = _digest(source, log), _digest(target, log)
    if wanted != found:
        raise StorageFailed(f"{namespace.label}: the copy of {_name(log)} differs; copy it again")
    events, sha256 = found
    return CopiedLog(
        namespace=namespace,
        log=log,
        events=events,
        size=target.logs()[log],
        sha256=sha256,
        is_new=is_new,
    )


def _digest(log: Log, name: str) -> tuple[int, str]:
    """Returns the number of events of a log, and its SHA-256."""
    return len(log.read(name).events), hashlib.sha256(log.content(name)).hexdigest()


def _name(log: str) -> str:
    return log or "the notes"
