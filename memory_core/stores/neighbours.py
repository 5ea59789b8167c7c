"""Rows of live memories with what stands beside them, brought ring by ring."""

from collections.abc import Iterable

import numpy as np

from .database import LIST, Database, listed
from .postings import DTYPES, Array, Columns
from .word_index import Snapshot

_LIVE_BESIDE = (
    "SELECT e.row, coalesce((SELECT b.row FROM entries AS b WHERE b.sitting = e.sitting "  # noqa: S608
    "AND b.state = 'live' AND (b.place, b.row) < (e.place, e.row) "
    "ORDER BY b.place DESC, b.row DESC LIMIT 1), 0), "
    "coalesce((SELECT a.row FROM entries AS a WHERE a.sitting = e.sitting "
    "AND a.state = 'live' AND (a.place, a.row) > (e.place, e.row) "
    "ORDER BY a.place, a.row LIMIT 1), 0) "
    f"FROM entries AS e WHERE e.row IN {LIST}"
)
_TAKEN = ("lengths", "said", "sittings", "ids", "user_vectors", "assistant_vectors")


class Rings:
    """Over the words of one moment. A few hundred rows: plain lists are faster than arrays here.

    `rows` are live, each once, in the order in which they were brought; `beside` has for each the
    rows before and after it, 0 for none.
    """

    def __init__(self, database: Database, snapshot: Snapshot) -> None:
        self._db = database
        self._moved = snapshot.moved
        self._sources = snapshot.sources
        self._source: list[Array] = []
        self._at: list[Array] = []
        self.index: dict[int, int] = {}
        self.beside: list[tuple[int, int]] = []

    @property
    def rows(self) -> list[int]:
        return list(self.index)

    def bring(self, rows: Iterable[int]) -> None:
        """The live ones among these."""
        wanted = [row for row in dict.fromkeys(rows) if row not in self.index]
        if not wanted:
            return
        source, at = self._located(wanted)
        lives = source >= 0
        live = [row for row, its in zip(wanted, lives.tolist(), strict=True) if its]
        self.index.update((row, it) for it, row in enumerate(live, start=len(self.index)))
        self._source.append(source[lives])
        self._at.append(at[lives])
        self.beside += self._links(live, source[lives], at[lives])

    def links(self, first: int = 0, last: int | None = None) -> list[int]:
        """The rows beside those from the first to before the last; live ones only."""
        self._pass_over_the_gone(first, len(self.beside) if last is None else last)
        return [row for pair in self.beside[first:last] for row in pair if row]

    def columns(self) -> Columns:
        """Of all, and beside them the index of what is among them, or -1."""
        source, at = (np.concatenate([np.empty(0, int), *it]) for it in (self._source, self._at))
        found = {name: np.zeros(len(at), dtype=DTYPES[name]) for name in _TAKEN}
        for number, which in self._by_source(source):
            columns = self._sources[number].postings.columns
            for name in _TAKEN:
                found[name][which] = getattr(columns, name)[at[which]]
        for row in self._moved.keys() & self.index.keys():
            found["sittings"][self.index[row]] = self._moved[row][0]
        beside = [(self.index.get(a, -1), self.index.get(b, -1)) for a, b in self.beside]
        before, after = np.array(beside, dtype=np.int64).reshape(-1, 2).T
        return Columns(numbers=np.array(self.rows, "<u4"), before=before, after=after, **found)

    def _located(self, rows: list[int]) -> tuple[Array, Array]:
        """In which source each row lives and at which position; source -1 where it does not."""
        sought = np.array(rows, dtype="<u4")
        source, at = np.full(len(rows), -1), np.zeros(len(rows), dtype=np.int64)
        for number, it in enumerate(self._sources):
            which, found = it.positions(sought)
            source[which], at[which] = number, found
        return source, at

    def _by_source(self, source: Array) -> Iterable[tuple[int, Array]]:
        found = ((number, np.flatnonzero(source == number)) for number in range(len(self._sources)))
        return (it for it in found if len(it[1]))

    def _links(self, rows: list[int], source: Array, at: Array) -> list[tuple[int, int]]:
        both = np.zeros((len(rows), 2), dtype=np.int64)
        for number, which in self._by_source(source):
            columns = self._sources[number].postings.columns
            both[which, 0], both[which, 1] = columns.before[at[which]], columns.after[at[which]]
        told = [(a, b) for a, b in both.tolist()]
        for it, row in enumerate(rows if self._moved else ()):
            if row in self._moved:
                told[it] = self._moved[row][1:]
        return told

    def _pass_over_the_gone(self, first: int, last: int) -> None:
        """Whoever stands beside what lives no more has other neighbours by now."""
        linked = {row for pair in self.beside[first:last] for row in pair if row}
        unknown = [row for row in linked if row not in self.index]
        gone = {row for row, it in zip(unknown, self._located(unknown)[0], strict=True) if it < 0}
        if gone:
            rows = self.rows
            left = [rows[it] for it in range(first, last) if not gone.isdisjoint(self.beside[it])]
            for row, before, after in self._db.rows(_LIVE_BESIDE, listed(left)):
                self.beside[self.index[row]] = before, after
