"""The words of all live memories as searching sees them: sealed postings, and the rest in memory.

The table `segments` names the files that hold the words of rows `first` to `last`. What they do not
hold, or no longer rightly, stands in `unsealed`, by its row: the terms of a live memory, nothing of
one that lives no more. `moved` names rows whose sitting or live neighbours are others than was
written with their words. Both are numbered by a stamp that only rises, so that catching up costs
what is new; `totals.sealings` rises when segments are exchanged.
"""

import sqlite3
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np

from ....domain.errors import StorageCorrupt
from ..catalog.database import Database
from . import segment_file
from .live_postings import Source
from .postings import Array, among
from .segment_merge import Told, built, gathered, merged

_AT_ONCE = 20_480
_SMALL, _GROWTH = 64, 4
_STATE = (
    "SELECT sealings, (SELECT coalesce(max(stamp), 0) FROM unsealed), "
    "(SELECT coalesce(max(stamp), 0) FROM moved), live, length FROM totals"
)
BESIDE = (
    "e.sitting, coalesce((SELECT b.row FROM entries AS b WHERE b.sitting = e.sitting "
    "AND b.state = 'live' AND (b.place, b.row) < (e.place, e.row) "
    "ORDER BY b.place DESC, b.row DESC LIMIT 1), 0), "
    "coalesce((SELECT a.row FROM entries AS a WHERE a.sitting = e.sitting "
    "AND a.state = 'live' AND (a.place, a.row) > (e.place, e.row) "
    "ORDER BY a.place, a.row LIMIT 1), 0) "
)
VECTORS = (
    "coalesce((SELECT vector_id FROM vectors AS v WHERE v.row = e.row AND v.side = 0), 0), "
    "coalesce((SELECT vector_id FROM vectors AS v WHERE v.row = e.row AND v.side = 1), 0) "
)
TOLD = f"SELECT u.row, u.user, u.assistant, e.id, e.ts, {BESIDE}, {VECTORS} "
_NEWS = (  # "+u.row": what is new is less than all, through which an index on row would go
    f"{TOLD} FROM unsealed AS u JOIN entries AS e USING (row) WHERE u.stamp > ? ORDER BY +u.row"
)
_MOVED = f"SELECT e.row, {BESIDE} FROM moved JOIN entries AS e USING (row) WHERE stamp > ?"  # noqa: S608


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Segment:
    """A sealed file, and the rows it stands for; without a name it is lost and to be made anew."""

    first: int
    last: int
    name: str
    source: Source


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Snapshot:
    """The words at one moment, and how many memories and terms live. `moved` has what is new in the
    columns of some rows, shape (n, 4), by ascending rows: row, sitting, row before, row after.
    """

    segments: Sequence[Segment] = ()
    runs: Sequence[Source] = ()
    moved: Array = field(default_factory=lambda: np.empty((0, 4), dtype=np.int64))
    state: tuple[int, int, int] = (-1, 0, 0)
    live: int = 0
    length: int = 0

    @property
    def sources(self) -> list[Source]:
        """All, the largest first."""
        found = [*(it.source for it in self.segments), *self.runs]
        return sorted(found, key=lambda it: -it.postings.size)

    def without(self, rows: Array) -> "Snapshot":
        segments = [replace(it, source=it.source.without(rows)) for it in self.segments]
        return replace(self, segments=segments, runs=[it.without(rows) for it in self.runs])


class _Held(threading.local):
    """Each thread's own."""

    snapshot: Snapshot | None = None


class WordIndex:
    """Safe for many threads; who writes to the tables need not tell it."""

    def __init__(self, database: Database, folder: Path) -> None:
        self._db = database
        self._folder = folder
        self._lock = threading.Lock()
        self._now = Snapshot()
        self._version = (-1, 0)
        self._held = _Held()

    @contextmanager
    def moment(self) -> Iterator[None]:
        """Within, this thread sees the words as they are now, whatever is written meanwhile."""
        before = self._held.snapshot
        self._held.snapshot = before or self.current()
        try:
            yield
        finally:
            self._held.snapshot = before

    def current(self) -> Snapshot:
        """With all that was written before. Raises StorageFailed, StorageCorrupt."""
        if self._held.snapshot is not None:
            return self._held.snapshot
        with self._lock:
            version = self._db.version()
            if version == self._version:
                return self._now
            if version[0] != self._version[0]:  # of another file
                self._now = Snapshot()
            now, told = self._caught_up()
            changed = np.array([it.row for it in told], dtype="<u4")
            if len(changed):
                now = now.without(changed)
                live = [it for it in told if it.user is not None]
                parts = (live[at : at + _AT_ONCE] for at in range(0, len(live), _AT_ONCE))
                now = replace(now, runs=_settled([*now.runs, *(Source(built(it)) for it in parts)]))
            self._now, self._version = now, version
            return now

    def close(self) -> None:
        """Lets go of the files."""
        with self._lock:
            self._now, self._version = Snapshot(), (-1, 0)

    def damage(self) -> list[str]:
        """What is wrong with the files, as far as reading all of them tells."""
        found = []
        for it in self.current().segments:
            try:
                segment_file.check(self._folder / it.name)
            except StorageCorrupt as exc:
                found.append(f"words {it.first} to {it.last} are damaged: {exc}")
        return found

    def _caught_up(self) -> tuple[Snapshot, list[Told]]:
        """All but the words of what is new, which come beside it."""
        with self._db.reading() as db:
            *state, live, length = db.execute(_STATE).fetchone()
            now = self._now
            if state[0] != now.state[0]:
                now = self._exchanged(db)
            told = [Told(*it) for it in db.execute(_NEWS, (now.state[1],))]
            moved = db.execute(_MOVED, (now.state[2],)).fetchall()
            now = replace(now, moved=_replaced(now.moved, moved))
            return replace(now, state=tuple(state), live=live, length=length), told

    def _exchanged(self, db: sqlite3.Connection) -> Snapshot:
        """With the segments of today, and of the rest what no segment took over."""
        now = self._now
        rest = np.array(db.execute("SELECT row FROM unsealed").fetchall(), "<u4").reshape(-1)
        moved = np.array(db.execute("SELECT row FROM moved ORDER BY row").fetchall(), np.int64)
        return replace(
            now,
            segments=[replace(it, source=it.source.without(rest)) for it in self._opened(db)],
            runs=[it.only(rest) for it in now.runs],
            moved=now.moved[among(now.moved[:, 0], moved.reshape(-1))],
        )

    def _opened(self, db: sqlite3.Connection) -> list[Segment]:
        """Files are mapped while nobody can exchange them."""
        known = {it.name: it.source.postings for it in self._now.segments}
        found = []
        for first, last, name in db.execute(
            "SELECT first, last, name FROM segments ORDER BY first"
        ):
            try:
                postings = known.get(name) or segment_file.read(self._folder / name)
            except StorageCorrupt:
                name, postings = "", built([])
            found.append(Segment(first=first, last=last, name=name, source=Source(postings)))
        return found


def _replaced(known: Array, moved: Sequence[tuple[int, ...]]) -> Array:
    """What is new of these rows in place of what was known of them."""
    if not moved:
        return known
    new = np.array(sorted(moved), dtype=np.int64)
    both = np.concatenate((known[~among(known[:, 0], new[:, 0])], new))
    return both[np.argsort(both[:, 0])]


def _settled(runs: list[Source]) -> list[Source]:
    """Few enough: small ones become one with what is not much larger."""
    while len(runs) > 1 and _are_alike(runs[-2], runs[-1]):
        runs = [*runs[:-2], Source(gathered(merged(runs[-2:])))]
    return [it for it in runs if it.live]


def _are_alike(large: Source, small: Source) -> bool:
    return large.live <= max(_SMALL, _GROWTH * small.live)
