"""Rows of live memories and their neighbours in the session, added ring by ring."""

from collections.abc import Sequence

import numpy as np

from .postings import DTYPES, Array, Columns, intersect_sorted
from .word_index import WordSnapshot

_COPIED_COLUMNS = ("lengths", "said", "ids", "user_vectors", "assistant_vectors")


class NeighbourRows:
    """Collects rows from one snapshot of the words.

    `rows` are live and unique, in the order in which they were added. Beside each are its session,
    and the rows before and after it, 0 for none.
    """

    def __init__(self, snapshot: WordSnapshot) -> None:
        self._stale_neighbours = snapshot.stale_neighbours
        self._sources = snapshot.sources
        numbers = (source.postings.columns.numbers for source in self._sources)
        max_row = max((int(own[-1]) for own in numbers if len(own)), default=0)
        self._ranks = np.zeros(max_row + 1, dtype=np.int32)  # of all rows, 0 for those not added
        self.rows = np.empty(0, dtype=np.int64)
        self._source, self._at = self.rows, self.rows
        self._beside = np.empty((0, 3), dtype=np.int64)

    def add_rows(self, rows: Array) -> None:
        """Adds those of these rows that are live."""
        new = self._unknown(rows)
        source, positions = np.full(len(new), -1), np.zeros(len(new), dtype=np.int64)
        beside = np.zeros((len(new), 3), dtype=np.int64)
        for number, part in enumerate(self._sources):
            which, found = part.positions(new)
            if len(which):
                columns = part.postings.columns
                part.postings.read_ahead.request_columns(found)
                source[which], positions[which] = number, found
                for place, own in enumerate((columns.sittings, columns.before, columns.after)):
                    beside[which, place] = own[found]
        if source.min(initial=0) < 0:
            lives = source >= 0
            new, source, positions, beside = (
                column[lives] for column in (new, source, positions, beside)
            )
        if len(self._stale_neighbours):
            which, found = intersect_sorted(self._stale_neighbours[:, 0], new)
            beside[which] = self._stale_neighbours[found, 1:]
        around = beside[:, 1:]
        around[around >= len(self._ranks)] = 0  # their words are lost
        self._ranks[new] = np.arange(len(self.rows) + 1, len(self.rows) + len(new) + 1)
        self.rows = np.concatenate((self.rows, new))
        self._source = np.concatenate((self._source, source))
        self._at = np.concatenate((self._at, positions))
        self._beside = np.concatenate((self._beside, beside))

    def count_among(self, rows: Sequence[int]) -> int:
        """Returns how many of these rows were added. They must have been added first."""
        known = np.array(rows, dtype=np.int64)
        return int(self._ranks[known[known < len(self._ranks)]].max(initial=0))

    def _unknown(self, rows: Array) -> Array:
        """Returns the rows that were not added yet, each once, in this order."""
        rows = rows[rows < len(self._ranks)]
        rows = rows[self._ranks[rows] == 0]
        order = np.arange(1, len(rows) + 1, dtype=np.int32)
        self._ranks[rows[::-1]] = order[::-1]  # of equal rows, the first is the last to be set
        first = self._ranks[rows] == order
        self._ranks[rows] = 0
        return np.asarray(rows[first])

    def add_neighbours(self, count: int) -> None:
        """Adds the neighbours of the first `count` rows."""
        around = self._beside[:count, 1:].ravel()
        self.add_rows(around[around != 0])

    def columns(self) -> Columns:
        """Returns all columns, with neighbours as indices into them; -1 for those not added."""
        before, after = self._ranks[self._beside[:, 1:].T].astype(np.int64) - 1
        return Columns(
            numbers=self.rows.astype("<u4"),
            sittings=self._beside[:, 0],
            before=before,
            after=after,
            **self._copied_columns(),
        )

    def _copied_columns(self) -> dict[str, Array]:
        """Returns the columns that are the same as in the postings."""
        columns = [part.postings.columns for part in self._sources]
        if len(columns) == 1:
            return {name: getattr(columns[0], name)[self._at] for name in _COPIED_COLUMNS}
        found = {name: np.zeros(len(self.rows), dtype=DTYPES[name]) for name in _COPIED_COLUMNS}
        for number, own in enumerate(columns):
            which = (self._source == number).nonzero()[0]
            if len(which):
                positions = self._at[which]
                for name in _COPIED_COLUMNS:
                    found[name][which] = getattr(own, name)[positions]
        return found
