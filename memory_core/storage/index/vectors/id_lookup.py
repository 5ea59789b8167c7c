"""Lookup of rows by vector id: sorted ids, and the row of each."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from .zarr_rows import Ids


class IdLookup:
    """Ids of the rows from `first` on; an id of 0 means none."""

    def __init__(self, ids: Ids, rows: NDArray[np.integer], *, first: int) -> None:
        self._ids = ids
        self._rows = rows
        self._first = first

    @classmethod
    def from_ids(cls, ids: Ids, *, first: int) -> "IdLookup":
        order = np.argsort(ids, kind="stable")
        order = order[int(np.searchsorted(ids[order], 1)) :]
        return cls(ids[order], order.astype(np.int32), first=first)

    @classmethod
    def joined(cls, parts: "Sequence[IdLookup]") -> "IdLookup":
        """Returns one lookup of the rows of all of these."""
        ids = np.concatenate([np.empty(0, np.int64), *(part._ids for part in parts)])
        rows = np.concatenate(
            [np.empty(0, np.int64), *(part._rows + part._first for part in parts)]
        )
        order = np.argsort(ids, kind="stable")
        return cls(ids[order], rows[order], first=0)

    @property
    def has_twins(self) -> bool:
        return bool((self._ids[1:] == self._ids[:-1]).any())

    def __len__(self) -> int:
        return len(self._ids)

    def ranks(self, ids: Ids) -> Ids:
        """Returns the rank of each id in the order; -1 for unknown ones."""
        if not len(self._ids):
            return np.full(len(ids), -1, dtype=np.int64)
        ranks = np.searchsorted(self._ids, ids)
        ranks[ranks == len(self._ids)] = 0
        return np.where((self._ids[ranks] == ids) & (ids != 0), ranks, -1)

    def rows(self, ids: Ids) -> Ids:
        """Returns the row of each id; -1 for unknown ones."""
        ranks = self.ranks(ids)
        return (
            np.where(ranks < 0, -1, self.ids_at(np.maximum(ranks, 0))) if len(self._ids) else ranks
        )

    def ids_at(self, ranks: NDArray[np.generic]) -> Ids:
        return np.asarray(self._rows[ranks], dtype=np.int64) + self._first
