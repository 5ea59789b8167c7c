"""The searchable words of all live memories: posting files on disk, newer postings in memory.

Each row of the table `segments` names a file with the words of the rows `first` to `last`. The
table `uncompacted_words` has, by row, the terms of live memories that no file holds, and an empty
entry for each memory in a file that is no longer live. `stale_neighbours` lists rows whose session
or live neighbours changed since their words were written. Both tables are numbered by a rising
stamp, so that catching up costs only what is new. `totals.index_generation` rises whenever
segments are replaced.
"""

import sqlite3
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path

import numpy as np

from ....domain.errors import StorageCorrupt
from ...contract import Side
from ..catalog.database import Database
from . import segment_file
from .postings import Array, LivePostings, are_in_sorted
from .segment_merge import IndexedRow, build_postings, load_postings, merge_postings

WordGroups = Sequence[Sequence[str]]
_AT_ONCE = 20_480
_SMALL, _GROWTH = 64, 4
_STATE = (
    "SELECT index_generation, (SELECT coalesce(max(stamp), 0) FROM uncompacted_words), "
    "(SELECT coalesce(max(stamp), 0) FROM stale_neighbours), live, length FROM totals"
)
NEIGHBOUR_COLUMNS = (
    "e.session, coalesce((SELECT b.row FROM entries AS b WHERE b.session = e.session "
    "AND b.state = 'live' AND (b.position, b.row) < (e.position, e.row) "
    "ORDER BY b.position DESC, b.row DESC LIMIT 1), 0), "
    "coalesce((SELECT a.row FROM entries AS a WHERE a.session = e.session "
    "AND a.state = 'live' AND (a.position, a.row) > (e.position, e.row) "
    "ORDER BY a.position, a.row LIMIT 1), 0) "
)
VECTORS = (
    "coalesce((SELECT vector_id FROM vectors AS v WHERE v.row = e.row AND v.side = 0), 0), "
    "coalesce((SELECT vector_id FROM vectors AS v WHERE v.row = e.row AND v.side = 1), 0) "
)
INDEXED_ROW_COLUMNS = (
    f"SELECT u.row, u.user, u.assistant, e.id, e.ts, {NEIGHBOUR_COLUMNS}, {VECTORS} "
)
_NEW_WORDS = (  # "+u.row": new words are few, and an index on row would go through all
    f"{INDEXED_ROW_COLUMNS} FROM uncompacted_words AS u JOIN entries AS e USING (row)"
    " WHERE u.stamp > ? ORDER BY +u.row"
)
_STALE_NEIGHBOURS = (
    f"SELECT e.row, {NEIGHBOUR_COLUMNS} "  # noqa: S608
    "FROM stale_neighbours JOIN entries AS e USING (row) WHERE stamp > ?"
)


def rows_with_each(source: LivePostings, groups: WordGroups, side: Side | None) -> Array:
    """Returns the rows of this source that hold a term of each group; `groups` is not empty."""
    found = [_positions_with_any(source, group, side) for group in groups]
    found.sort(key=len)
    both = found[0]
    for positions in found[1:]:
        both = np.intersect1d(both, positions, assume_unique=True)
    return source.postings.columns.numbers[both]


def _positions_with_any(source: LivePostings, group: Sequence[str], side: Side | None) -> Array:
    terms = [term for term in source.terms(list(group)).values() if term >= 0]
    found = [_positions(source, term, side) for term in terms]
    if len(found) == 1:
        return found[0]
    return np.unique(np.concatenate(found)) if found else np.empty(0, dtype="<u4")


def _positions(source: LivePostings, term: int, side: Side | None) -> Array:
    if side is None:
        return source.positions_with_term(term)
    first, last = source.postings.run(term)
    counts = source.postings.user if side is Side.USER else source.postings.assistant
    source.postings.read_ahead.request_run(first, last)
    source.postings.read_ahead.request_counts(first, last)
    positions = source.postings.at[first:last][counts[first:last] > 0]
    return positions[~are_in_sorted(positions, source.deleted_positions)]


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class PostingSegment:
    """A posting file and the rows it covers; without a name it is lost and must be rebuilt."""

    first: int
    last: int
    name: str
    postings: LivePostings


@dataclass(frozen=True, kw_only=True, eq=False)
class WordSnapshot:
    """The words of one moment, with the numbers of live memories and their terms.

    `stale_neighbours` has current neighbours of some rows, shape (n, 4), by ascending row: row,
    session, row before, row after. `frequencies` caches in how many live memories words occur.
    """

    segments: Sequence[PostingSegment] = ()
    runs: Sequence[LivePostings] = ()
    stale_neighbours: Array = field(default_factory=lambda: np.empty((0, 4), dtype=np.int64))
    state: tuple[int, int, int] = (-1, 0, 0)
    live: int = 0
    length: int = 0
    frequencies: dict[str, int] = field(default_factory=dict, init=False)

    @cached_property
    def sources(self) -> list[LivePostings]:
        """Returns all postings, largest first."""
        found = [*(segment.postings for segment in self.segments), *self.runs]
        return sorted(found, key=lambda source: -source.postings.size)

    def without(self, rows: Array) -> "WordSnapshot":
        segments = [
            replace(segment, postings=segment.postings.without(rows)) for segment in self.segments
        ]
        return replace(self, segments=segments, runs=[run.without(rows) for run in self.runs])


class _ThreadSnapshot(threading.local):
    """The snapshot of the current thread."""

    snapshot: WordSnapshot | None = None


class WordIndex:
    """The words of one store. Safe for many threads; sees what others write to the tables."""

    def __init__(self, database: Database, folder: Path) -> None:
        self._db = database
        self._folder = folder
        self._lock = threading.Lock()
        self._snapshot = WordSnapshot()
        self._version = (-1, 0)
        self._thread_snapshot = _ThreadSnapshot()

    @contextmanager
    def consistent_read(self) -> Iterator[None]:
        """Shows this thread the words of one moment inside the block, whatever others write."""
        before = self._thread_snapshot.snapshot
        self._thread_snapshot.snapshot = before or self.snapshot()
        try:
            yield
        finally:
            self._thread_snapshot.snapshot = before

    def snapshot(self) -> WordSnapshot:
        """Returns the current words. Raises StorageFailed and StorageCorrupt."""
        if self._thread_snapshot.snapshot is not None:
            return self._thread_snapshot.snapshot
        with self._lock:
            version = self._db.version()
            if version == self._version:
                return self._snapshot
            if version[0] != self._version[0]:  # of another file
                self._snapshot = WordSnapshot()
            now, new_rows = self._updated_snapshot()
            changed = np.array([row.row for row in new_rows], dtype="<u4")
            if len(changed):
                now = now.without(changed)
                live = [row for row in new_rows if row.user is not None]
                parts = (live[first : first + _AT_ONCE] for first in range(0, len(live), _AT_ONCE))
                now = replace(
                    now,
                    runs=_merge_small_runs(
                        [*now.runs, *(LivePostings(build_postings(part)) for part in parts)]
                    ),
                )
            self._snapshot, self._version = now, version
            return now

    def close(self) -> None:
        """Releases the files."""
        with self._lock:
            self._snapshot, self._version = WordSnapshot(), (-1, 0)

    def find_damage(self) -> list[str]:
        """Reads all files; returns the problems found."""
        found = []
        for segment in self.snapshot().segments:
            try:
                segment_file.check(self._folder / segment.name)
            except StorageCorrupt as exc:
                found.append(f"words {segment.first} to {segment.last} are damaged: {exc}")
        return found

    def _updated_snapshot(self) -> tuple[WordSnapshot, list[IndexedRow]]:
        """Returns a snapshot without the new words, and the rows that have these."""
        with self._db.read_connection() as db:
            *state, live, length = db.execute(_STATE).fetchone()
            now = self._snapshot
            if state[0] != now.state[0]:
                now = self._reopened_snapshot(db)
            new_rows = [IndexedRow(*values) for values in db.execute(_NEW_WORDS, (now.state[1],))]
            moved = db.execute(_STALE_NEIGHBOURS, (now.state[2],)).fetchall()
            now = replace(now, stale_neighbours=_replaced(now.stale_neighbours, moved))
            return replace(now, state=tuple(state), live=live, length=length), new_rows

    def _reopened_snapshot(self, db: sqlite3.Connection) -> WordSnapshot:
        """Reopens the segments; keeps of the postings in memory those that no segment holds."""
        now = self._snapshot
        uncompacted = db.execute("SELECT row FROM uncompacted_words").fetchall()
        rest = np.array(uncompacted, "<u4").reshape(-1)
        stale = db.execute("SELECT row FROM stale_neighbours ORDER BY row").fetchall()
        return replace(
            now,
            segments=[
                replace(segment, postings=segment.postings.without(rest))
                for segment in self._opened(db)
            ],
            runs=[run.only(rest) for run in now.runs],
            stale_neighbours=now.stale_neighbours[
                are_in_sorted(now.stale_neighbours[:, 0], np.array(stale, np.int64).reshape(-1))
            ],
        )

    def _opened(self, db: sqlite3.Connection) -> list[PostingSegment]:
        """Opens the segments of the catalog; their files cannot be replaced meanwhile."""
        known = {segment.name: segment.postings.postings for segment in self._snapshot.segments}
        found = []
        for first, last, name in db.execute(
            "SELECT first, last, name FROM segments ORDER BY first"
        ):
            try:
                postings = known.get(name) or segment_file.read(self._folder / name)
            except StorageCorrupt:
                name, postings = "", build_postings([])
            found.append(
                PostingSegment(first=first, last=last, name=name, postings=LivePostings(postings))
            )
        return found


def _replaced(known: Array, moved: Sequence[tuple[int, ...]]) -> Array:
    """Returns the known neighbours, with those of changed rows replaced."""
    if not moved:
        return known
    new = np.array(sorted(moved), dtype=np.int64)
    both = np.concatenate((known[~are_in_sorted(known[:, 0], new[:, 0])], new))
    return both[np.argsort(both[:, 0])]


def _merge_small_runs(runs: list[LivePostings]) -> list[LivePostings]:
    """Merges small runs with ones that are not much larger, so that few remain."""
    while len(runs) > 1 and _are_alike(runs[-2], runs[-1]):
        runs = [*runs[:-2], LivePostings(load_postings(merge_postings(runs[-2:])))]
    return [run for run in runs if run.live_count]


def _are_alike(large: LivePostings, small: LivePostings) -> bool:
    return large.live_count <= max(_SMALL, _GROWTH * small.live_count)
