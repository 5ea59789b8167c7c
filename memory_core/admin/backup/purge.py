"""Erases the words of forgotten memories from existing backups.

Leaves tombstones, as the logs do. A restored backup then does not remember them again from a chat
that still shows them.
"""

import secrets
import zipfile
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path

from ...domain.errors import ImportFailed, StorageError
from ...storage.held import check_saved, without
from ...storage.log.erasure import purge_content
from ...storage.log.event_log import NOTES, EventLog
from ...storage.log.events import Event, EventType, pack, unpack
from ...storage.log.log_file import LogSlice
from ...storage.log.projection import MemoryStatus, apply_events, tombstone_fields
from .atomic_output import remove_temporaries
from .layout import NamespaceContents
from .reader import BackupFile
from .zip_members import add_manifest, add_member, rewritten


@dataclass(frozen=True, slots=True, kw_only=True)
class ErasureResult:
    """The number of memories erased, counted once per backup, and messages of failures."""

    memories: int
    problems: tuple[str, ...] = ()


def erase_ids_from_backups(
    backups: Iterable[Path], ids: Collection[str], *, now: float
) -> ErasureResult:
    """Erases the memories of these ids from each backup and reports failures in the result.

    Removes half-written backups from the same folders.
    """
    count, problems = 0, []
    for path in backups:
        remove_temporaries(path.parent)
        try:
            count += erase_ids(path, ids, now=now)
        except (ImportFailed, StorageError) as exc:
            problems.append(f"{path.name} may hold erased memories: {exc}")
    return ErasureResult(memories=count, problems=tuple(problems))


def erase_ids(path: Path, ids: Collection[str], *, now: float) -> int:
    """Erases the memories of these ids from one backup; returns how many had words in it.

    Raises ImportFailed if the file is no backup, StorageFailed.
    """
    with BackupFile(path) as file:
        spaces = [_NamespaceErasure(file, contents, ids) for contents in file.contents]
    count = sum(len(space.entries_to_erase) + len(space.held_to_erase) for space in spaces)
    if count:
        with rewritten(path) as (file, archive):
            for space in spaces:
                contents = _rewrite_logs(archive, file, space, now)
                add_manifest(archive, contents, now=file.made_at(contents))
    return count


class _NamespaceErasure:
    """The memories to erase from one namespace of a backup."""

    def __init__(self, file: BackupFile, contents: NamespaceContents, ids: Collection[str]) -> None:
        self.contents = contents
        self.last_seq = 0
        self.secret = ""
        lines: list[Event] = []
        for line in chain.from_iterable(_lines(file, contents, name) for name in contents.members):
            self.last_seq = max(self.last_seq, line.seq)
            if line.op is EventType.INIT:
                self.secret = self.secret or str(line.fields["secret"])
            if line.id in ids:
                lines.append(line)
        lines.sort(key=lambda line: line.seq)
        waiting = check_saved(contents.held) if contents.held else ()
        self.held_to_erase = frozenset(one.id for one in waiting) & frozenset(ids)
        self.entries_to_erase = {
            memory_id: entry for memory_id, entry in apply_events(lines).items() if entry.has_text
        }

    def tombstones(self, now: float) -> Iterator[bytes]:
        """Yields events that forget the memories which the backup does not know as forgotten."""
        fresh = {
            memory_id: entry
            for memory_id, entry in self.entries_to_erase.items()
            if entry.status is not MemoryStatus.FORGOTTEN
        }
        seqs = iter(range(self.last_seq + 1, self.last_seq + 2 + len(fresh)))
        secret = self.secret
        if fresh and not secret:
            secret = secrets.token_hex(16)
            fields = {"secret": secret}
            yield pack(Event(seq=next(seqs), op=EventType.INIT, id="init", ts=None, fields=fields))
        for memory_id, entry in fresh.items():
            fields = tombstone_fields(entry, secret)
            yield pack(
                Event(seq=next(seqs), op=EventType.FORGET, id=memory_id, ts=now, fields=fields)
            )


def _lines(file: BackupFile, contents: NamespaceContents, name: str) -> Iterator[Event]:
    return (unpack(data[:-1], EventLog.log_at(name) or "") for data in file.lines(contents, name))


def _rewrite_logs(
    archive: zipfile.ZipFile, file: BackupFile, space: _NamespaceErasure, now: float
) -> NamespaceContents:
    """Writes the namespace's logs, without the words to erase; returns its new contents.

    The caller writes the manifest.
    """
    contents = space.contents
    names = dict.fromkeys([*contents.members, NOTES])
    members = {
        name: add_member(
            archive, contents.prefix + name, _lines_without_words(file, space, name, now)
        )
        for name in names
    }
    forgotten = contents.counts.get("forgotten", 0) + len(space.entries_to_erase)
    counts = {**contents.counts, "forgotten": forgotten}
    held = without(contents.held, space.held_to_erase) if contents.held else None
    return replace(contents, members=members, counts=counts, held=held)


def _lines_without_words(
    file: BackupFile, space: _NamespaceErasure, name: str, now: float
) -> Iterator[bytes]:
    if name in space.contents.members:
        for line in _lines(file, space.contents, name):
            yield purge_content(LogSlice(events=[line]), space.entries_to_erase)
    if name == NOTES:
        yield from space.tombstones(now)
