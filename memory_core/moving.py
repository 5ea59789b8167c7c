"""Gives one namespace's memories to another: its lines, under their own ids, behind what is there.

Nothing is said anew: edits, pins, tombstones and places stay what they are. A tombstone's seal is
made with its namespace's secret, so that goes along.
"""

from collections.abc import Iterator
from heapq import merge

from .archive import Archive
from .transcript.lines import Draft, Line

_BATCH = 1000


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


def _lines(archive: Archive) -> Iterator[Line]:
    logs = (archive.transcript.read(log).lines for log in archive.transcript.logs())
    return merge(*logs, key=lambda line: line.seq)


def _draft(line: Line) -> Draft:
    return Draft(op=line.op, ts=line.ts, id=line.id, fields=line.fields, log=line.log)
