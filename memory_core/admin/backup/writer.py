"""Writes namespaces into one zip file while they are in use."""

import time
import zipfile
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from itertools import count
from pathlib import Path
from typing import BinaryIO

from ...domain.errors import ImportFailed, StorageCorrupt, StorageFailed
from ...domain.namespaces import Namespace
from ...infra import durable_files
from ...infra.scratch_folders import temporary_folder
from ...memory.long_term_memory import LongTermMemory
from ...storage import held
from ...storage.aliases import Aliases
from ...storage.engine import refuse_in_database, write_files
from ...storage.log.event_log import EventLog
from ...storage.manifest import read_manifest
from ...storage.pauses import read_saved
from .atomic_output import atomic_file
from .layout import NamespaceContents, manifest_extras
from .purge import erase_ids
from .snapshot import NamespaceSnapshot
from .zip_members import add_aliases, add_manifest, add_member

_ATTEMPTS = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class BackupSummary:
    """Counts of a backup. It holds `forgotten` memories without words, and no `damaged` lines."""

    path: Path
    namespaces: int
    exchanges: int
    notes: int
    forgotten: int
    damaged: int


ShowWritten = Callable[[int, int], object]
"""Shows how many logs are in the file, of how many: a conversation each, and notes."""


def write_backup(
    path: Path,
    root: Path,
    spaces: Sequence[Namespace],
    *,
    now: float,
    aliases: Aliases | None = None,
    show_written: ShowWritten | None = None,
) -> BackupSummary:
    """Writes one or several namespaces into the zip file `path`. Raises StorageFailed.

    Starts again if a memory is forgotten meanwhile. After a few attempts, erases its words from the
    finished file instead.
    """
    refuse_in_database(root, "a backup")
    with atomic_file(path) as file:
        for _ in range(_ATTEMPTS):
            file.seek(0)
            file.truncate()
            total = sum(len(EventLog(space.folder(root)).logs()) for space in spaces)
            count_one = _counter(total, show_written)
            snapshots = _write(file, root, spaces, aliases, now=now, count_one=count_one)
            late = frozenset[str]().union(
                *(snapshot.forgotten_meanwhile() for snapshot in snapshots)
            )
            if not late:
                break
    late_erased = _erase_late(path, late, now)
    return BackupSummary(
        path=path,
        namespaces=len(snapshots),
        exchanges=sum(snapshot.counts["exchanges"] for snapshot in snapshots),
        notes=sum(snapshot.counts["notes"] for snapshot in snapshots),
        forgotten=sum(len(snapshot.forgotten) for snapshot in snapshots) + late_erased,
        damaged=sum(snapshot.damaged for snapshot in snapshots),
    )


def _counter(total: int, show: ShowWritten | None) -> Callable[[], object]:
    """Returns the function to call for each log that is in the file; new ones may have come."""
    done = count(1)
    return (lambda: show(min(next(done), total), total)) if show else lambda: None


def _erase_late(path: Path, late: Collection[str], now: float) -> int:
    """Erases words from the finished backup, or deletes the backup if that fails."""
    try:
        return erase_ids(path, late, now=now) if late else 0
    except (StorageFailed, ImportFailed) as exc:
        durable_files.unlink(path)
        problem = f"{path} could not be written while memories are forgotten: {exc}"
        raise StorageFailed(problem) from exc


def write_dated_backup(namespace: Namespace, root: Path, into: Path, *, now: float) -> Path:
    """Writes <user>~<character>-<time>.zip into a folder; returns its path.

    Never overwrites a backup. Raises StorageFailed.
    """
    stamp = time.strftime("%Y%m%d-%H%M%S", time.gmtime(now))
    stem = f"{namespace.relative_folder.replace('/', '~')}-{stamp}"
    return write_backup(_free_path(into, stem), root, [namespace], now=now).path


def _free_path(folder: Path, stem: str) -> Path:
    names = (folder / f"{stem}{f'-{n}' if n else ''}.zip" for n in range(1000))
    return next(path for path in names if not durable_files.exists(path))


def _write(
    file: BinaryIO,
    root: Path,
    spaces: Sequence[Namespace],
    aliases: Aliases | None,
    *,
    now: float,
    count_one: Callable[[], object],
) -> Sequence[NamespaceSnapshot]:
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        if aliases is not None:
            add_aliases(archive, aliases)
        places = [f"{space.relative_folder}/" if len(spaces) > 1 else "" for space in spaces]
        return [
            _write_namespace(archive, root, space, place, now=now, count_one=count_one)
            for space, place in zip(spaces, places, strict=True)
        ]


def _write_namespace(
    archive: zipfile.ZipFile,
    root: Path,
    namespace: Namespace,
    prefix: str,
    *,
    now: float,
    count_one: Callable[[], object],
) -> NamespaceSnapshot:
    folder = namespace.folder(root)
    snapshot = NamespaceSnapshot(folder)
    members = {}
    for log in snapshot.logs():
        name = EventLog.relative_path(log)
        members[name] = add_member(archive, prefix + name, snapshot.lines(log))
        count_one()
    contents = NamespaceContents(
        namespace=namespace,
        prefix=prefix,
        members=members,
        counts={**snapshot.counts, "forgotten": len(snapshot.forgotten)},
    )
    add_manifest(archive, _with_small_files(contents, folder), now=now)
    return snapshot


def _with_small_files(contents: NamespaceContents, folder: Path) -> NamespaceContents:
    """Adds what the files beside the logs hold; one that is damaged would be useless."""
    with suppress(StorageCorrupt):  # the caller knows the names without it
        contents = replace(contents, extra_fields=manifest_extras(read_manifest(folder)))
    with suppress(StorageCorrupt):
        contents = replace(contents, pauses=read_saved(folder))
    with suppress(StorageCorrupt):
        if waiting := held.HeldFile(folder).read():
            contents = replace(contents, held=held.to_fields(waiting))
    return contents


@contextmanager
def log_files(memory: LongTermMemory, spaces: Sequence[Namespace]) -> Iterator[Path]:
    """Yields a storage folder with the files of these namespaces. Raises StorageFailed.

    It is that of the memory, or a copy of a database as it is now, which only its owner can read.
    """
    if memory.shared.is_in_files:
        yield memory.root
        return
    with temporary_folder() as folder:
        root = Path(folder) / "memories"
        for space in spaces:
            with memory.open_namespace(space) as opened:
                write_files(space, opened.event_log, memory.shared.files, space.folder(root))
        yield root
