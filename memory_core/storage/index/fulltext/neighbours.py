"""Rows of live memories and their neighbours in the session, added ring by ring."""

from collections.abc import Iterator

import numpy as np

from .postings import DTYPES, Array, Columns, are_in_sorted, intersect_sorted
from .word_index import WordSnapshot

_COPIED_COLUMNS = ("lengths", "said", "sittings", "ids", "user_vectors", "assistant_vectors")


class NeighbourRows:
    """Collects rows from one snapshot of the words.

    `rows` are live and unique, in the order in which they were added; next to each are the rows
    before and after it, 0 for none.
    """

    def __init__(self, snapshot: WordSnapshot) -> None:
        self._stale_neighbours = snapshot.stale_neighbours
        self._sources = snapshot.sources
        self.rows = self._ordered = np.empty(0, dtype=np.int64)
        self._source, self._at = self.rows, self.rows
        self._neighbours = np.empty((0, 2), dtype=np.int64)

    def add_rows(self, rows: Array) -> None:
        """Adds those of these rows that are live."""
        new = rows[~are_in_sorted(rows, self._ordered)]
        new = new[np.sort(np.unique(new, return_index=True)[1])]  # each once, in this order
        source, positions = self._locate(new)
        lives = source >= 0
        new, source, positions = new[lives], source[lives], positions[lives]
        self.rows = np.concatenate((self.rows, new))
        self._ordered = np.sort(self.rows)
        self._source = np.concatenate((self._source, source))
        self._at = np.concatenate((self._at, positions))
        self._neighbours = np.concatenate((self._neighbours, self._links(new, source, positions)))

    def add_neighbours(self, count: int) -> None:
        """Adds the neighbours of the first `count` rows."""
        beside = self._neighbours[:count].ravel()
        self.add_rows(beside[beside != 0])

    def columns(self) -> Columns:
        """Returns all columns, with neighbours as indices into them; -1 for those not added."""
        found = {name: np.zeros(len(self.rows), dtype=DTYPES[name]) for name in _COPIED_COLUMNS}
        for columns, which in self._by_source(self._source):
            for name in _COPIED_COLUMNS:
                found[name][which] = getattr(columns, name)[self._at[which]]
        which, moved = self._stale_among(self.rows)
        found["sittings"][which] = moved[:, 0]
        before, after = (self._index(column) for column in self._neighbours.T)
        return Columns(numbers=self.rows.astype("<u4"), before=before, after=after, **found)

    def _index(self, rows: Array) -> Array:
        """Returns the index of each row among all added ones, or -1."""
        index, order = np.full(len(rows), -1), np.argsort(self.rows)
        which, positions = intersect_sorted(self._ordered, rows)
        index[which] = order[positions]
        return index

    def _locate(self, rows: Array) -> tuple[Array, Array]:
        """Returns the source and position of each row; source -1 where it is not live."""
        source, positions = np.full(len(rows), -1), np.zeros(len(rows), dtype=np.int64)
        for number, part in enumerate(self._sources):
            which, found = part.positions(rows)
            source[which], positions[which] = number, found
        return source, positions

    def _by_source(self, source: Array) -> Iterator[tuple[Columns, Array]]:
        for number, part in enumerate(self._sources):
            which = np.flatnonzero(source == number)
            if len(which):
                yield part.postings.columns, which

    def _links(self, rows: Array, source: Array, positions: Array) -> Array:
        both = np.zeros((len(rows), 2), dtype=np.int64)
        for columns, which in self._by_source(source):
            both[which, 0], both[which, 1] = (
                columns.before[positions[which]],
                columns.after[positions[which]],
            )
        which, moved = self._stale_among(rows)
        both[which] = moved[:, 1:]
        return both

    def _stale_among(self, rows: Array) -> tuple[Array, Array]:
        """Returns the indices of rows with newer neighbours, and their session, row before and
        after.
        """
        which, positions = intersect_sorted(self._stale_neighbours[:, 0], rows)
        return which, self._stale_neighbours[positions, 1:]
