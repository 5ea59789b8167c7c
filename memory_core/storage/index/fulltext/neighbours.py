"""Rows of live memories with what stands beside them, brought ring by ring."""

from collections.abc import Iterator

import numpy as np

from .postings import DTYPES, Array, Columns, among, found_in
from .word_index import Snapshot

_TAKEN = ("lengths", "said", "sittings", "ids", "user_vectors", "assistant_vectors")


class Rings:
    """Over the words of one moment.

    `rows` are live, each once, in the order in which they were brought; beside each stand the rows
    before and after it, 0 for none.
    """

    def __init__(self, snapshot: Snapshot) -> None:
        self._moved = snapshot.moved
        self._sources = snapshot.sources
        self.rows = self._ordered = np.empty(0, dtype=np.int64)
        self._source, self._at = self.rows, self.rows
        self._beside = np.empty((0, 2), dtype=np.int64)

    def bring(self, rows: Array) -> None:
        """The live ones among these."""
        new = _each_once(rows[~among(rows, self._ordered)])
        source, at = self._located(new)
        lives = source >= 0
        new, source, at = new[lives], source[lives], at[lives]
        self.rows = np.concatenate((self.rows, new))
        self._ordered = np.sort(self.rows)
        self._source = np.concatenate((self._source, source))
        self._at = np.concatenate((self._at, at))
        self._beside = np.concatenate((self._beside, self._links(new, source, at)))

    def surround(self, count: int) -> None:
        """Brings those that stand beside the first so many."""
        beside = self._beside[:count].ravel()
        self.bring(beside[beside != 0])

    def columns(self) -> Columns:
        """Of all, and beside them the index of what is among them, or -1."""
        found = {name: np.zeros(len(self.rows), dtype=DTYPES[name]) for name in _TAKEN}
        for columns, which in self._by_source(self._source):
            for name in _TAKEN:
                found[name][which] = getattr(columns, name)[self._at[which]]
        which, moved = self._moved_of(self.rows)
        found["sittings"][which] = moved[:, 0]
        before, after = (self._index(it) for it in self._beside.T)
        return Columns(numbers=self.rows.astype("<u4"), before=before, after=after, **found)

    def _index(self, rows: Array) -> Array:
        """Of these rows among all, or -1."""
        index, order = np.full(len(rows), -1), np.argsort(self.rows)
        which, at = found_in(self._ordered, rows)
        index[which] = order[at]
        return index

    def _located(self, rows: Array) -> tuple[Array, Array]:
        """In which source each row lives and at which position; source -1 where it does not."""
        source, at = np.full(len(rows), -1), np.zeros(len(rows), dtype=np.int64)
        for number, it in enumerate(self._sources):
            which, found = it.positions(rows)
            source[which], at[which] = number, found
        return source, at

    def _by_source(self, source: Array) -> Iterator[tuple[Columns, Array]]:
        for number, it in enumerate(self._sources):
            which = np.flatnonzero(source == number)
            if len(which):
                yield it.postings.columns, which

    def _links(self, rows: Array, source: Array, at: Array) -> Array:
        both = np.zeros((len(rows), 2), dtype=np.int64)
        for columns, which in self._by_source(source):
            both[which, 0], both[which, 1] = columns.before[at[which]], columns.after[at[which]]
        which, moved = self._moved_of(rows)
        both[which] = moved[:, 1:]
        return both

    def _moved_of(self, rows: Array) -> tuple[Array, Array]:
        """Of which of these rows, by their index, something is new, and what: sitting, before,
        after.
        """
        which, at = found_in(self._moved[:, 0], rows)
        return which, self._moved[at, 1:]


def _each_once(rows: Array) -> Array:
    """In the order in which they come first."""
    return rows[np.sort(np.unique(rows, return_index=True)[1])]
