"""Writes namespaces into one zip file while they are in use."""

import time
import zipfile
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

from ..aliases import ALIASES, Aliases, packed
from ..errors import ImportFailed, StorageCorrupt, StorageFailed
from ..manifest import MANIFEST, read_manifest
from ..namespaces import Namespace
from ..records import NOTHING
from ..switches import saved_in
from ..transcript.transcript import Transcript
from .erasing import erase_from
from .layout import Contents, about, manifest_of
from .members import add_member
from .output import whole_file
from .snapshot import Snapshot

_ATTEMPTS = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Saved:
    """What a backup holds. `forgotten` memories are in it without their words, `damaged` lines
    are not.
    """

    path: Path
    namespaces: int
    exchanges: int
    notes: int
    forgotten: int
    damaged: int


def save(
    path: Path,
    root: Path,
    spaces: Sequence[Namespace],
    *,
    now: float,
    aliases: Aliases | None = None,
) -> Saved:
    """Writes one namespace, or several, into the zip file `path`. Raises StorageFailed.

    What is forgotten meanwhile has it written again; where that goes on, its words are taken out of
    the finished file.
    """
    with whole_file(path) as file:
        for _ in range(_ATTEMPTS):
            file.seek(0)
            file.truncate()
            snapshots = _write(file, root, spaces, now, aliases)
            late = frozenset[str]().union(*(it.forgotten_since() for it in snapshots))
            if not late:
                break
    late_erased = _without(path, late, now)
    return Saved(
        path=path,
        namespaces=len(snapshots),
        exchanges=sum(it.counts["exchanges"] for it in snapshots),
        notes=sum(it.counts["notes"] for it in snapshots),
        forgotten=sum(len(it.forgotten) for it in snapshots) + late_erased,
        damaged=sum(it.damaged for it in snapshots),
    )


def _without(path: Path, late: Collection[str], now: float) -> int:
    """No file at all rather than one with words that somebody took for gone."""
    try:
        return erase_from(path, late, now=now) if late else 0
    except (StorageFailed, ImportFailed) as exc:
        path.unlink(missing_ok=True)
        told = f"{path} could not be written while memories are forgotten: {exc}"
        raise StorageFailed(told) from exc


def back_up(namespace: Namespace, root: Path, into: Path, *, now: float) -> Path:
    """Writes <user>~<character>-<time>.zip before something is destroyed; returns its path.

    Raises StorageFailed. A backup that exists already is never overwritten.
    """
    stamp = time.strftime("%Y%m%d-%H%M%S", time.gmtime(now))
    stem = f"{namespace.relative_folder.replace('/', '~')}-{stamp}"
    return save(_free(into, stem), root, [namespace], now=now).path


def _free(folder: Path, stem: str) -> Path:
    names = (folder / f"{stem}{f'-{n}' if n else ''}.zip" for n in range(1000))
    return next(path for path in names if not path.exists())


def _write(
    file: BinaryIO, root: Path, spaces: Sequence[Namespace], now: float, aliases: Aliases | None
) -> Sequence[Snapshot]:
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        if aliases is not None:
            add_member(archive, ALIASES, [packed(aliases)])
        return [_write_one(archive, root, it, _prefix(it, spaces), now) for it in spaces]


def _prefix(namespace: Namespace, spaces: Sequence[Namespace]) -> str:
    return f"{namespace.relative_folder}/" if len(spaces) > 1 else ""


def _write_one(
    archive: zipfile.ZipFile, root: Path, namespace: Namespace, prefix: str, now: float
) -> Snapshot:
    folder = namespace.folder(root)
    snapshot = Snapshot(folder)
    names = ((log, Transcript.relative_path(log)) for log in snapshot.logs())
    members = {name: add_member(archive, prefix + name, snapshot.lines(log)) for log, name in names}
    contents = Contents(
        namespace=namespace,
        members=members,
        counts={**snapshot.counts, "forgotten": len(snapshot.forgotten)},
        about=about(_manifest(folder)),
        switches=_switches(folder),
    )
    add_member(archive, prefix + MANIFEST, [manifest_of(contents, now=now)])
    return snapshot


def _manifest(folder: Path) -> Mapping[str, Any]:
    try:
        return read_manifest(folder)
    except StorageCorrupt:
        return NOTHING  # the names are known without it


def _switches(folder: Path) -> Mapping[str, Any] | None:
    try:
        return saved_in(folder)
    except StorageCorrupt:
        return None  # nobody knows what it held, here or where it is restored
