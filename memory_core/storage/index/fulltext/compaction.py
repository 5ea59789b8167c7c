"""Sealing: words that became many go into a file, small files become one, and old words leave.

A new file is on the disk before the catalogue names it, in one transaction with all that it takes
over; the old ones go after that. So a crash leaves the old or the new, and at worst a file that
nobody names. A file that cannot be read is made anew from the memories.
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
from ..catalog.database import LIST, Database, listed
from ..catalog.rows import entry_of, terms_of
from . import segment_file
from .live_postings import Source
from .postings import Array, found_in
from .segment_merge import Merged, Told, built, merged
from .word_index import BESIDE, VECTORS, Segment, Snapshot, WordIndex

SEALED_FROM = 2_048
MOST_UNSEALED = 16_384
_LARGEST = 1 << 19
_ALIKE = 2
_MOST_VOID, _VOID_SHARE = 256, 1 / 16
_MADE_ANEW = 2_048
_NEWER = (
    "SELECT coalesce((SELECT max(row) FROM unsealed), 0) - "
    "coalesce((SELECT last FROM segments ORDER BY first DESC LIMIT 1), 0)"
)
_RANGE = "row BETWEEN ? AND ? AND stamp <= ?"
_LOST = (
    f"SELECT e.row, e.data, e.id, e.ts, {BESIDE}, {VECTORS} FROM entries AS e "  # noqa: S608
    "WHERE e.row BETWEEN ? AND ? AND e.state = 'live' ORDER BY e.row LIMIT ?"
)


class Sealing:
    """Of one store's words. Safe for many threads; one works at a time, without the database's
    locks but for moments.
    """

    def __init__(
        self, database: Database, folder: Path, index: WordIndex, *, sealed_from: int = SEALED_FROM
    ) -> None:
        self._db = database
        self._folder = folder
        self._index = index
        self._sealed_from = sealed_from
        self._lock = threading.Lock()
        self._is_swept = False

    def step(self) -> bool:
        """Does the most urgent thing; whether there was any. Raises StorageFailed."""
        with self._lock:
            if not self._is_swept:  # of what a crash left
                self.sweep()
                self._is_swept = True
            now = self._index.current()
            return self._repair(now) or self._seal(now) or self._join(now)

    def bound(self) -> None:
        """Seals at once where so much waits that searching would suffer."""
        ((newer,),) = self._db.rows(_NEWER)
        if newer >= MOST_UNSEALED:
            with suppress(StorageFailed):  # it waits on
                self.step()

    def forget(self, ids: Collection[str]) -> None:
        """Takes the words of these out of all files; they live no more."""
        found = self._db.rows(f"SELECT row FROM entries WHERE id IN {LIST}", listed(list(ids)))  # noqa: S608
        rows = np.array(found, dtype="<u4").reshape(-1)
        with self._lock:
            for name in [it.name for it in self._index.current().segments if _has(it, rows)]:
                now = self._index.current()
                own = next(it for it in now.segments if it.name == name)
                self._exchange(now, [own], own.first, own.last)
            self.sweep()

    def sweep(self) -> None:
        """Deletes the files that nobody names."""
        named = {name for (name,) in self._db.rows("SELECT name FROM segments")}
        with durable_files.naming(self._folder):
            found = [path.name for path in self._folder.glob(f"*{segment_file.SUFFIX}")]
        for name in found:
            if name not in named:
                self._delete(name)

    def _seal(self, now: Snapshot) -> bool:
        """What is newer than all files, once it is much."""
        first = max((it.last for it in now.segments), default=0) + 1
        newer = [it.between(first, (1 << 32) - 1) for it in now.runs]
        if sum(it.live for it in newer) < self._sealed_from:
            return False
        last = max(int(it.postings.columns.numbers[-1]) for it in newer if it.live)
        self._exchange(now, [], first, last)
        return True

    def _join(self, now: Snapshot) -> bool:
        """Neighbours of about one size, the newest first; or one of which much no longer holds."""
        whole = [it for it in now.segments if it.name]
        for older, newer in reversed(list(pairwise(whole))):
            if _are_alike(older, newer):
                self._exchange(now, [older, newer], older.first, newer.last)
                return True
        for it in whole:
            if len(it.source.void) > max(_MOST_VOID, _VOID_SHARE * it.source.postings.size):
                self._exchange(now, [it], it.first, it.last)
                return True
        return False

    def _repair(self, now: Snapshot) -> bool:
        """A part of a lost file, from the memories themselves."""
        for lost in (it for it in now.segments if not it.name):
            found = self._db.rows(_LOST, lost.first, lost.last, _MADE_ANEW)
            told = [_told(*it) for it in found]
            last = told[-1].row if len(told) == _MADE_ANEW else lost.last
            anew = merged([Source(built(told))])
            self._commit(now, [lost], lost.first, last, segment_file.write(self._folder, anew))
            self.sweep()
            return True
        return False

    def _exchange(self, now: Snapshot, old: Sequence[Segment], first: int, last: int) -> None:
        """Puts one file in place of these, with all that holds of the rows from first to last.

        One that is damaged is given up instead: what it says must not go into another.
        """
        for it in old:
            try:
                segment_file.check(self._folder / it.name)
            except StorageCorrupt:
                self._give_up(it)
                return
        rest = (it.between(first, last) for it in now.runs)
        sources = [*(it.source for it in old), *(it for it in rest if it.live)]
        anew = _as_of(now, merged(sources))
        self._commit(now, old, first, last, segment_file.write(self._folder, anew))

    def _give_up(self, lost: Segment) -> None:
        with self._db.writing() as db:
            db.execute("UPDATE segments SET name = '' WHERE first = ?", (lost.first,))
            db.execute("UPDATE totals SET sealings = sealings + 1")

    def _commit(
        self, now: Snapshot, old: Sequence[Segment], first: int, last: int, name: str
    ) -> None:
        with self._db.writing() as db:
            is_current = db.execute("SELECT sealings FROM totals").fetchone()[0] == now.state[0]
            if is_current:
                _name(db, old, first, last, name)
                _take_over(db, now, first, last)
        if not is_current:  # another process was faster
            self._delete(name)
            return
        self._db.checkpoint()  # or a crash might bring back the old names, without their files
        for it in old:
            if it.name:
                self._delete(it.name)

    def _delete(self, name: str) -> None:
        """Nobody may be about to open it."""
        with self._db.reading():
            try:
                durable_files.remove(self._folder / name)
            except OSError:  # Windows deletes nothing that somebody still reads
                self._is_swept = False


def _name(db: sqlite3.Connection, old: Sequence[Segment], first: int, last: int, name: str) -> None:
    """What of an old one lies behind the new stays lost."""
    db.executemany("DELETE FROM segments WHERE first = ?", [(it.first,) for it in old])
    db.execute("INSERT INTO segments VALUES (?, ?, ?)", (first, last, name))
    if old and old[-1].last > last:
        db.execute("INSERT INTO segments VALUES (?, ?, '')", (last + 1, old[-1].last))
    db.execute("UPDATE totals SET sealings = sealings + 1")


def _take_over(db: sqlite3.Connection, now: Snapshot, first: int, last: int) -> None:
    """What the file holds need not be kept beside it. Row 0 holds the stamp, which must rise."""
    for table, stamp in (("unsealed", now.state[1]), ("moved", now.state[2])):
        db.execute(f"REPLACE INTO {table}(row) VALUES (0)")  # noqa: S608
        db.execute(f"DELETE FROM {table} WHERE {_RANGE}", (first, last, stamp))  # noqa: S608


def _as_of(now: Snapshot, anew: Merged) -> Merged:
    """With what is new of who sits where."""
    columns = anew.columns
    known = {name: getattr(columns, name).copy() for name in ("sittings", "before", "after")}
    which, at = found_in(now.moved[:, 0], columns.numbers)
    for name, moved in zip(known, now.moved[at, 1:].T, strict=True):
        known[name][which] = moved
    return replace(anew, columns=replace(columns, **known))


def _told(row: int, data: str, *rest: object) -> Told:
    user, assistant = (" ".join(it) for it in terms_of(entry_of(data).memory))
    return Told(row, user, assistant, *rest)  # type: ignore[arg-type]


def _has(segment: Segment, rows: Array) -> bool:
    return bool(len(segment.source.postings.positions(rows)[1]))


def _are_alike(older: Segment, newer: Segment) -> bool:
    large, small = older.source.live, newer.source.live
    return large <= _ALIKE * small and large + small <= _LARGEST
