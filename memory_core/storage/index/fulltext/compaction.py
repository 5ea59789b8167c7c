"""Compaction: writes new words into posting files, merges small files, drops deleted words.

A new file is on the disk before the catalog names it, in one transaction with all that it
replaces; the old files are deleted afterwards. A crash leaves the old state or the new one, and at
worst a file without a name in the catalog. An unreadable file is rebuilt from the memories.
"""

import sqlite3
import threading
from collections.abc import Collection, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np

from ....domain.errors import StorageCorrupt, StorageFailed
from ....infra import durable_files
from ..catalog.database import LIST, Database, as_json_list
from ..catalog.rows import decode_record, terms_of
from . import segment_file
from .postings import Array, LivePostings, intersect_sorted
from .segment_merge import IndexedRow, MergedPostings, build_postings, merge_postings
from .word_index import NEIGHBOUR_COLUMNS, VECTORS, PostingSegment, WordIndex, WordSnapshot

COMPACT_FROM = 2_048
MAX_UNCOMPACTED = 16_384
_LARGEST = 1 << 19
_ALIKE = 2
_MAX_DELETED, _MAX_DELETED_SHARE = 256, 1 / 16
_REPAIR_BATCH = 2_048
_NEWER = (
    "SELECT coalesce((SELECT max(row) FROM uncompacted_words), 0) - "
    "coalesce((SELECT last FROM segments ORDER BY first DESC LIMIT 1), 0)"
)
_RANGE = "row BETWEEN ? AND ? AND stamp <= ?"
_LOST = (
    f"SELECT e.row, e.data, e.id, e.ts, {NEIGHBOUR_COLUMNS}, {VECTORS} FROM entries AS e "  # noqa: S608
    "WHERE e.row BETWEEN ? AND ? AND e.state = 'live' ORDER BY e.row LIMIT ?"
)


class PostingCompactor:
    """Compacts the postings of one store.

    Safe for many threads: one works at a time, and holds the database's locks only briefly.
    """

    def __init__(
        self,
        database: Database,
        folder: Path,
        index: WordIndex,
        *,
        compact_from: int = COMPACT_FROM,
    ) -> None:
        self._db = database
        self._folder = folder
        self._index = index
        self._compact_from = compact_from
        self._lock = threading.Lock()
        self._unnamed_files_deleted = False

    def step(self) -> bool:
        """Does the most urgent task; returns whether there was one. Raises StorageFailed."""
        with self._lock:
            if not self._unnamed_files_deleted:  # a crash may have left some
                self.delete_unnamed_files()
                self._unnamed_files_deleted = True
            now = self._index.snapshot()
            return self._repair(now) or self._compact_new(now) or self._merge_segments(now)

    def compact_if_large(self) -> None:
        """Compacts at once if so many words are uncompacted that searches would slow down."""
        ((newer,),) = self._db.rows(_NEWER)
        if newer >= MAX_UNCOMPACTED:
            with suppress(StorageFailed):  # the next step tries again
                self.step()

    def forget(self, ids: Collection[str]) -> None:
        """Removes the words of these memories, which are no longer live, from all files."""
        query = f"SELECT row FROM entries WHERE id IN {LIST}"  # noqa: S608
        found = self._db.rows(query, as_json_list(list(ids)))
        rows = np.array(found, dtype="<u4").reshape(-1)
        with self._lock:
            for name in [
                segment.name for segment in self._index.snapshot().segments if _has(segment, rows)
            ]:
                now = self._index.snapshot()
                own = next(segment for segment in now.segments if segment.name == name)
                self._replace_segments(now, [own], own.first, own.last)
            self.delete_unnamed_files()

    def delete_unnamed_files(self) -> None:
        """Deletes the files that the catalog does not name."""
        named = {name for (name,) in self._db.rows("SELECT name FROM segments")}
        with durable_files.naming_errors(self._folder):
            found = [path.name for path in self._folder.glob(f"*{segment_file.SUFFIX}")]
        for name in found:
            if name not in named:
                self._delete(name)

    def _compact_new(self, now: WordSnapshot) -> bool:
        """Writes the words newer than all files into one, once there are many."""
        first = max((segment.last for segment in now.segments), default=0) + 1
        newer = [run.between(first, (1 << 32) - 1) for run in now.runs]
        if sum(run.live_count for run in newer) < self._compact_from:
            return False
        last = max(int(run.postings.columns.numbers[-1]) for run in newer if run.live_count)
        self._replace_segments(now, [], first, last)
        return True

    def _merge_segments(self, now: WordSnapshot) -> bool:
        """Merges neighbours of similar size, newest first, or rewrites a file with many deleted
        rows.
        """
        whole = [segment for segment in now.segments if segment.name]
        for older, newer in reversed(list(pairwise(whole))):
            if _are_alike(older, newer):
                self._replace_segments(now, [older, newer], older.first, newer.last)
                return True
        for segment in whole:
            if len(segment.postings.deleted_positions) > max(
                _MAX_DELETED, _MAX_DELETED_SHARE * segment.postings.postings.size
            ):
                self._replace_segments(now, [segment], segment.first, segment.last)
                return True
        return False

    def _repair(self, now: WordSnapshot) -> bool:
        """Rebuilds a part of a lost file from the memories."""
        for lost in (segment for segment in now.segments if not segment.name):
            found = self._db.rows(_LOST, lost.first, lost.last, _REPAIR_BATCH)
            memories = [_indexed_row(*row) for row in found]
            last = memories[-1].row if len(memories) == _REPAIR_BATCH else lost.last
            new_postings = merge_postings([LivePostings(build_postings(memories))])
            self._commit(
                now, [lost], lost.first, last, segment_file.write(self._folder, new_postings)
            )
            self.delete_unnamed_files()
            return True
        return False

    def _replace_segments(
        self, now: WordSnapshot, old: Sequence[PostingSegment], first: int, last: int
    ) -> None:
        """Replaces these files by one with all words of the rows from first to last.

        A damaged file is given up instead: its content must not enter another.
        """
        for segment in old:
            try:
                segment_file.check(self._folder / segment.name)
            except StorageCorrupt:
                self._abandon_lost(segment)
                return
        rest = (run.between(first, last) for run in now.runs)
        sources = [*(segment.postings for segment in old), *(run for run in rest if run.live_count)]
        new_postings = _with_current_neighbours(now, merge_postings(sources))
        self._commit(now, old, first, last, segment_file.write(self._folder, new_postings))

    def _abandon_lost(self, lost: PostingSegment) -> None:
        with self._db.transaction() as db:
            db.execute("UPDATE segments SET name = '' WHERE first = ?", (lost.first,))
            db.execute("UPDATE totals SET index_generation = index_generation + 1")

    def _commit(
        self, now: WordSnapshot, old: Sequence[PostingSegment], first: int, last: int, name: str
    ) -> None:
        with self._db.transaction() as db:
            (generation,) = db.execute("SELECT index_generation FROM totals").fetchone()
            is_current = generation == now.state[0]
            if is_current:
                _record_segment(db, old, first, last, name)
                _delete_compacted(db, now, first, last)
        if not is_current:  # another process was faster
            self._delete(name)
            return
        self._db.checkpoint()  # else a crash might bring back names of deleted files
        for segment in old:
            if segment.name:
                self._delete(segment.name)

    def _delete(self, name: str) -> None:
        """Deletes a file while no thread can be about to open it."""
        with self._db.read_connection():
            try:
                durable_files.remove(self._folder / name)
            except OSError:  # Windows deletes no file that is still being read
                self._unnamed_files_deleted = False


def _record_segment(
    db: sqlite3.Connection, old: Sequence[PostingSegment], first: int, last: int, name: str
) -> None:
    """Records the new file; the part of a lost file after it stays lost."""
    db.executemany("DELETE FROM segments WHERE first = ?", [(segment.first,) for segment in old])
    db.execute("INSERT INTO segments VALUES (?, ?, ?)", (first, last, name))
    if old and old[-1].last > last:
        db.execute("INSERT INTO segments VALUES (?, ?, '')", (last + 1, old[-1].last))
    db.execute("UPDATE totals SET index_generation = index_generation + 1")


def _delete_compacted(db: sqlite3.Connection, now: WordSnapshot, first: int, last: int) -> None:
    """Deletes the words that the file now holds. Row 0 keeps the stamp, which must only rise."""
    for table, stamp in (("uncompacted_words", now.state[1]), ("stale_neighbours", now.state[2])):
        db.execute(f"REPLACE INTO {table}(row) VALUES (0)")  # noqa: S608
        db.execute(f"DELETE FROM {table} WHERE {_RANGE}", (first, last, stamp))  # noqa: S608


def _with_current_neighbours(now: WordSnapshot, new_postings: MergedPostings) -> MergedPostings:
    """Updates sessions and neighbours that changed since they were written."""
    columns = new_postings.columns
    known = {name: getattr(columns, name).copy() for name in ("sittings", "before", "after")}
    which, positions = intersect_sorted(now.stale_neighbours[:, 0], columns.numbers)
    for name, moved in zip(known, now.stale_neighbours[positions, 1:].T, strict=True):
        known[name][which] = moved
    return replace(new_postings, columns=replace(columns, **known))


def _indexed_row(row: int, data: str, *rest: object) -> IndexedRow:
    user, assistant = (" ".join(side) for side in terms_of(decode_record(data).memory))
    return IndexedRow(row, user, assistant, *rest)  # type: ignore[arg-type]


def _has(segment: PostingSegment, rows: Array) -> bool:
    return bool(len(segment.postings.postings.positions(rows)[1]))


def _are_alike(older: PostingSegment, newer: PostingSegment) -> bool:
    large, small = older.postings.live_count, newer.postings.live_count
    return large <= _ALIKE * small and large + small <= _LARGEST
