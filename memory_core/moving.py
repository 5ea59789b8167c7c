"""Gives memories another place: a conversation's to another one, a namespace's to another one.

Of a namespace the lines move, under their own ids, behind what is there. Nothing is said anew:
edits, pins, tombstones and places stay what they are. A tombstone's seal is made with its
namespace's secret, so that goes along.
"""

from collections.abc import Iterator
from heapq import merge
from pathlib import Path

from . import durable
from .archive import Archive
from .chat_notes import moved
from .namespaces import Namespace, write_manifest
from .transcript.lines import Draft, Line, Op

_BATCH = 1000


def move_conversation(archive: Archive, log: str, to: str, *, now: float) -> None:
    """With what holds in it alone. After a crash it can be repeated: at worst both conversations
    show it meanwhile.

    Raises StorageFailed, StorageLocked.
    """
    known = archive.read(lambda store: store.known(log))
    there = [
        Draft(op=Op.PLACE, id=it.id, log=to, ts=now, fields={"place": it.place}) for it in known
    ]
    here = [Draft(op=Op.REMOVE, id=it.id, log=log, ts=now) for it in known]
    archive.write_all([*there, *here, *moved(archive, log, to, now)])


def move_lines(source: Archive, target: Archive) -> int:
    """Appends all of `source` to `target`, in its order; returns how many lines.

    After a crash it can be repeated: a line said twice, with all that follows it, says the same.
    Raises StorageFailed, StorageLocked.
    """
    source.transcript.exclusively()
    drafts = list(map(_draft, _lines(source)))
    for at in range(0, len(drafts), _BATCH):
        target.write_all(drafts[at : at + _BATCH])
    return len(drafts)


def move_folder(old: Namespace, new: Namespace, root: Path) -> None:
    """Nothing of either may be open, and nothing of the new one exist. Raises StorageFailed."""
    folder = new.folder(root)
    with durable.naming(folder):
        durable.make_folder(folder.parent)
        old.folder(root).replace(folder)
        durable.sync_folder(folder.parent)
        write_manifest(new, folder)


def _lines(archive: Archive) -> Iterator[Line]:
    logs = (archive.transcript.read(log).lines for log in archive.transcript.logs())
    return merge(*logs, key=lambda line: line.seq)


def _draft(line: Line) -> Draft:
    return Draft(op=line.op, ts=line.ts, id=line.id, fields=line.fields, log=line.log)
