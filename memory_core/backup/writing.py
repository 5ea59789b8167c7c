"""Writes namespaces into one zip file while they are in use."""

import hashlib
import time
import zipfile
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

from ..aliases import ALIASES, Aliases, packed
from ..errors import StorageCorrupt
from ..namespaces import MANIFEST, Namespace, read_manifest
from ..records import NOTHING
from ..switches import saved_in
from .layout import Contents, Member, about, folder_name, manifest_of, member_name
from .output import whole_file
from .snapshot import Snapshot

_ATTEMPTS = 3
_FIRST_DAY = (1980, 1, 1, 0, 0, 0)  # of the zip format; the manifest tells when it was made
_MODE = 0o100600 << 16


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
    """Writes one namespace, or several, into the zip file `path`. Raises StorageFailed."""
    with whole_file(path) as file:
        for _ in range(_ATTEMPTS):
            file.seek(0)
            file.truncate()
            snapshots = _write(file, root, spaces, now, aliases)
            if not any(it.is_outdated() for it in snapshots):
                break
    return Saved(
        path=path,
        namespaces=len(snapshots),
        exchanges=sum(it.counts["exchanges"] for it in snapshots),
        notes=sum(it.counts["notes"] for it in snapshots),
        forgotten=sum(len(it.forgotten) for it in snapshots),
        damaged=sum(it.damaged for it in snapshots),
    )


def back_up(namespace: Namespace, root: Path, into: Path, *, now: float) -> Path:
    """Writes <user>~<character>-<time>.zip before something is destroyed; returns its path.

    Raises StorageFailed. A backup that exists already is never overwritten.
    """
    stamp = time.strftime("%Y%m%d-%H%M%S", time.gmtime(now))
    stem = f"{folder_name(namespace).replace('/', '~')}-{stamp}"
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
    return f"{folder_name(namespace)}/" if len(spaces) > 1 else ""


def _write_one(
    archive: zipfile.ZipFile, root: Path, namespace: Namespace, prefix: str, now: float
) -> Snapshot:
    folder = namespace.folder(root)
    snapshot = Snapshot(folder)
    members = {
        member_name(log): add_member(archive, prefix + member_name(log), snapshot.lines(log))
        for log in snapshot.logs()
    }
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


def add_member(archive: zipfile.ZipFile, name: str, lines: Iterable[bytes]) -> Member:
    info = zipfile.ZipInfo(name, _FIRST_DAY)
    info.compress_type, info.external_attr = zipfile.ZIP_DEFLATED, _MODE
    digest, size, count = hashlib.sha256(), 0, 0
    with archive.open(info, "w", force_zip64=True) as member:
        for line in lines:
            member.write(line)
            digest.update(line)
            size += len(line)
            count += 1
    return Member(sha256=digest.hexdigest(), size=size, lines=count)
