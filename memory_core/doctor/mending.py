"""Repairs what was found, and nothing else; what is taken out of a log is kept beside it."""

import os
from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from pathlib import Path

from .. import durable
from ..aliases import ALIASES, read_aliases
from ..archive import INDEX, Archive, OpenStore
from ..backup.staging import finish_interrupted
from ..erasure import purge_logs
from ..errors import StorageCorrupt, StorageError, StorageFailed
from ..manifest import MANIFEST, read_manifest, write_manifest
from ..namespaces import Namespace
from ..transcript.entries import Entry, folded
from ..transcript.lines import whole_within
from ..transcript.purge import aside_of
from ..transcript.transcript import Transcript
from . import derived
from .files import own_paths, shared_paths, temporaries, too_open
from .logs import Seen
from .rescue import known_of, rescued
from .scanning import Piece, pieces


def mend_storage(root: Path) -> None:
    """What belongs to no namespace. Raises StorageFailed."""
    finish_interrupted(root)
    durable.sweep_beside(root)
    _close(shared_paths(root))
    try:
        read_aliases(root)
    except StorageCorrupt:
        _put_aside(root / ALIASES)
    except StorageFailed:
        return  # it is told, and nobody knows what it is


def mend_files(space: Namespace, folder: Path) -> None:
    """Modes, leftovers and the manifest. Raises StorageFailed."""
    for path in temporaries(folder):
        _unlink(path)
    _close(own_paths(folder))
    _mend_manifest(space, folder)


def _mend_manifest(space: Namespace, folder: Path) -> None:
    try:
        found = read_manifest(folder)
    except StorageCorrupt:
        _put_aside(folder / MANIFEST)
        write_manifest(space, folder)
        return
    names = (space.user, space.character, space.scope)
    if found and (found["user"], found["character"], found["scope"]) != names:
        write_manifest(space, folder, extra=found)


def mend_logs(archive: Archive, seen: Seen) -> bool:
    """Writes anew what else is known of damaged lines, then takes them and torn ones out; whether
    anything was done. Raises StorageError.
    """
    broken: dict[str, list[Piece]] = defaultdict(list)
    for piece in (*seen.damaged, *seen.torn):
        broken[piece.log].append(piece)
    if not broken:
        return False
    before = known_of(archive.store, archive.transcript, seen)
    told = _told(archive.transcript, before)
    for memory_id, entry in before.items():  # first: a store that is made anew knows it no more
        archive.write_all(rescued(entry, told.get(memory_id)))
    with archive.erasure.rewriting():
        for log, its in broken.items():
            _quarantine(archive.transcript, log, its)
    archive.rebuild()
    return True


def _told(transcript: Transcript, ids: Collection[str]) -> dict[str, Entry]:
    """What the sound lines tell of these."""
    lines = (line for log in transcript.logs() for line in transcript.read(log).lines)
    return folded(sorted((it for it in lines if it.id in ids), key=lambda it: it.seq))


def _quarantine(transcript: Transcript, log: str, broken: Sequence[Piece]) -> None:
    path = transcript.path(log)
    aside = aside_of(path)
    keep = aside.read_bytes() if aside.is_file() else b""
    taken = b"".join(it.data.rstrip(b"\n") + b"\n" for it in broken)
    durable.replace(aside, keep + taken)
    bad = {it.start for it in broken}
    size = transcript.logs()[log]
    whole = [
        line
        for it in pieces(path, log, size)
        for line in (_salvaged(it.data) if it.start in bad else [it.data])
    ]
    transcript.rewrite(log, b"".join(whole))


def _salvaged(data: bytes) -> list[bytes]:
    return [line + b"\n" for line in whole_within(data)[0]]


def erase_due(archive: Archive, due: Collection[str]) -> None:
    """Takes the words of these out of all logs, and of what was put aside. Raises StorageError."""
    with archive.erasure.rewriting():
        purge_logs(archive.transcript, archive.transcript.logs(), due, archive.store)
    archive.rebuild()
    archive.store.erase(sorted(due))


def mend_store(archive: Archive, folder: Path, open_store: OpenStore) -> Archive:
    """Makes it anew from the logs, without its vectors if nothing less helps.

    Raises StorageError.
    """
    archive.rebuild()
    sizes = archive.transcript.logs()
    if not derived.faults(archive.store, archive.transcript, sizes):
        return archive
    archive.close()
    _remove_index(folder)
    return Archive(folder, open_store=open_store)


def open_anew(folder: Path, open_store: OpenStore) -> Archive:
    """The archive, without its index where that cannot be opened. Raises StorageError."""
    try:
        return Archive(folder, open_store=open_store)
    except StorageError:
        holder = Transcript(folder)
        holder.hold()
        try:
            _remove_index(folder)
        finally:
            holder.close()
        return Archive(folder, open_store=open_store)


def _remove_index(folder: Path) -> None:
    with durable.naming(folder / INDEX):
        durable.remove(folder / INDEX)


def _put_aside(path: Path) -> None:
    with durable.naming(path):
        os.replace(path, aside_of(path))
    durable.sync_folder(path.parent)


def _close(paths: Iterable[Path]) -> None:
    for path in filter(too_open, paths):
        with durable.naming(path):
            path.chmod(durable.FOLDER_MODE if path.is_dir() else durable.FILE_MODE)


def _unlink(path: Path) -> None:
    with durable.naming(path):
        path.unlink(missing_ok=True)
