"""Takes the words of what was forgotten out of backups that were made before.

A tombstone takes their place, as in the logs themselves, so that a chat which still shows them does
not bring them back once the backup is restored.
"""

import secrets
import zipfile
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path
from typing import BinaryIO

from ..aliases import ALIASES, Aliases, packed
from ..errors import ImportFailed, StorageError
from ..manifest import MANIFEST, list_namespaces
from ..transcript.entries import Entry, State, folded, seal
from ..transcript.lines import Line, Op, pack, unpack
from ..transcript.log import Read
from ..transcript.purge import purged
from ..transcript.transcript import NOTES, Transcript
from .layout import Contents, manifest_of
from .members import add_member
from .output import sweep, whole_file
from .reading import BackupFile


@dataclass(frozen=True, slots=True, kw_only=True)
class Erased:
    """How many memories lost their words, counted once for each backup, and what went wrong."""

    memories: int
    problems: tuple[str, ...] = ()


def erase_again(root: Path, backups: Iterable[Path], *, now: float) -> Erased:
    """Takes out of these files what was erased from the memories below `root`."""
    spaces = list_namespaces(root)
    ids = set(chain.from_iterable(_erased_in(it.folder(root)) for it in spaces))
    return erase_from_all(backups, ids, now=now)


def _erased_in(folder: Path) -> Iterator[str]:
    transcript = Transcript(folder)
    for log in transcript.logs():
        yield from (it.id for it in transcript.read(log).lines if "purged" in it.fields)


def erase_from_all(backups: Iterable[Path], ids: Collection[str], *, now: float) -> Erased:
    """One that cannot be read or written is told, not raised. A half-written one beside it goes."""
    count, problems = 0, []
    for path in backups:
        sweep(path.parent)
        try:
            count += erase_from(path, ids, now=now)
        except (ImportFailed, StorageError) as exc:
            problems.append(f"{path.name} may hold what was erased: {exc}")
    return Erased(memories=count, problems=tuple(problems))


def erase_from(path: Path, ids: Collection[str], *, now: float) -> int:
    """One backup, rewritten only where it has words of these; returns of how many.

    Raises ImportFailed where it is none, StorageFailed.
    """
    with BackupFile(path) as file:
        spaces = [_Space(file, contents, ids) for contents in file.contents]
    count = sum(len(it.doomed) for it in spaces)
    if count:
        with whole_file(path) as out, BackupFile(path) as file:
            _rewrite(file, spaces, out, now)
    return count


class _Space:
    """One namespace of a backup: what of it has to go."""

    def __init__(self, file: BackupFile, contents: Contents, ids: Collection[str]) -> None:
        self.contents = contents
        self.last_seq = 0
        self.secret = ""
        lines: list[Line] = []
        for line in chain.from_iterable(_lines(file, contents, it) for it in contents.members):
            self.last_seq = max(self.last_seq, line.seq)
            if line.op is Op.INIT:
                self.secret = self.secret or str(line.fields["secret"])
            if line.id in ids:
                lines.append(line)
        lines.sort(key=lambda line: line.seq)
        self.doomed = {it: entry for it, entry in folded(lines).items() if entry.has_words}

    def tombstones(self, now: float) -> Iterator[bytes]:
        """Of those that were not forgotten by then."""
        fresh = {it: entry for it, entry in self.doomed.items() if not _is_forgotten(entry)}
        seqs = iter(range(self.last_seq + 1, self.last_seq + 2 + len(fresh)))
        secret = self.secret
        if fresh and not secret:
            secret = secrets.token_hex(16)
            fields = {"secret": secret}
            yield pack(Line(seq=next(seqs), op=Op.INIT, id="init", ts=None, fields=fields))
        for memory_id, entry in fresh.items():
            fields = {"sealed": _seal_of(entry, secret)}
            yield pack(Line(seq=next(seqs), op=Op.FORGET, id=memory_id, ts=now, fields=fields))


def _seal_of(entry: Entry, secret: str) -> str:
    user, assistant = (entry.memory.text, "")
    if entry.chat is not None:
        user, assistant = entry.chat.user, entry.chat.assistant
    return seal(secret, user, assistant)


def _is_forgotten(entry: Entry) -> bool:
    return entry.state is State.FORGOTTEN


def _lines(file: BackupFile, contents: Contents, name: str) -> Iterator[Line]:
    return (unpack(data[:-1], Transcript.log_at(name) or "") for data in file.lines(contents, name))


def _rewrite(file: BackupFile, spaces: Sequence[_Space], out: BinaryIO, now: float) -> None:
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        if file.aliases != Aliases():
            add_member(archive, ALIASES, [packed(file.aliases)])
        for space in spaces:
            contents = _rewritten(archive, file, space, now)
            told = manifest_of(contents, now=file.made(contents))
            add_member(archive, contents.prefix + MANIFEST, [told])


def _rewritten(archive: zipfile.ZipFile, file: BackupFile, space: _Space, now: float) -> Contents:
    """The namespace's logs are in the new file; its manifest is not yet."""
    contents = space.contents
    names = dict.fromkeys([*contents.members, NOTES])
    members = {
        name: add_member(archive, contents.prefix + name, _without_words(file, space, name, now))
        for name in names
    }
    forgotten = contents.counts.get("forgotten", 0) + len(space.doomed)
    return replace(contents, members=members, counts={**contents.counts, "forgotten": forgotten})


def _without_words(file: BackupFile, space: _Space, name: str, now: float) -> Iterator[bytes]:
    if name in space.contents.members:
        for line in _lines(file, space.contents, name):
            yield purged(Read(lines=[line]), space.doomed)
    if name == NOTES:
        yield from space.tombstones(now)
