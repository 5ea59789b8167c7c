"""The rows that no segment covers: searched exactly, where they lie."""

from collections.abc import Iterable, Sequence

import numpy as np

from ....providers.embedders.base import Vectors
from .deleted_rows import Tombstones
from .exact_search import Exact, Nearest, are_unit, nearest_in
from .id_lookup import Located
from .sizes import Sizes
from .write_ahead import Tail
from .zarr_rows import Ids, Rows


class Unsealed:
    """Chunks of zarr, and the tail behind them. The newest rows are also in memory; should there
    be much more than a segment's worth, as in a large import, the rest is read where it lies.
    """

    def __init__(self, rows: Rows, tail: Tail, dead: Tombstones, *, dim: int, sizes: Sizes) -> None:
        self._rows = rows
        self._tail = tail
        self._dead = dead
        self._sizes = sizes
        self._ids: dict[int, Ids] = {}
        self._located: dict[int, Located] = {}
        self._joined: Sequence[Located] | None = None
        self._dim = dim
        self._exact: Exact  # once it is loaded

    @property
    def located(self) -> Sequence[Located]:
        """Of all chunks: together, for looking in each would take longer, unless some id stands in
        two of them, as a dead row and a living one.
        """
        if self._joined is None:
            parts = list(self._located.values())
            joined = Located.joined(parts)
            self._joined = parts if joined.has_twins else [joined]
        return self._joined

    def load(self, covered: Iterable[range]) -> None:
        """All chunks but those in these ranges of rows."""
        self._take_all(covered)
        free, size = set(self._ids), self._sizes.chunk
        first = len(self._rows) // size
        while first - 1 in free and (len(self._rows) // size - first) * size < self._sizes.segment:
            first -= 1
        exact = Exact(self._dim, first * size)
        for chunk in range(first, len(self._rows) // size):
            exact.add(self._rows.block(chunk))
        exact.add(self._tail.rows())
        self._exact = exact

    def follow(self, covered: Iterable[range]) -> None:
        """The same after a change, without reading again what is known."""
        last = self._take_all(covered)
        self._drop(last - self._exact.first)

    def _take_all(self, covered: Iterable[range]) -> int:
        """Returns the row behind the last that is covered."""
        size = self._sizes.chunk
        taken = {it // size for part in covered for it in part[::size]}
        for chunk in [it for it in self._ids if it in taken]:
            del self._ids[chunk], self._located[chunk]
            self._joined = None
        for chunk in range(len(self._rows) // size):
            if chunk not in taken and chunk not in self._ids:
                self._take(chunk)
        return max((it + 1 for it in taken), default=0) * size

    def _take(self, chunk: int) -> None:
        ids, first = self._rows.ids(chunk), chunk * self._sizes.chunk
        unit = are_unit(self._rows.block(chunk))
        ids[~unit] = 0
        self._ids[chunk] = ids
        self._located[chunk], self._joined = Located.among(ids, first=first), None
        self._dead.set(np.flatnonzero(ids == 0) + first)

    def _drop(self, count: int) -> None:
        if count > 0:
            self._exact.drop(min(count, len(self._exact)))

    def add(self, ids: Ids, vectors: np.ndarray[tuple[int, int], np.dtype[np.float16]]) -> None:
        """Into the tail, and whole chunks of it on into zarr."""
        self._tail.append(ids, vectors)
        self._exact.add(vectors)
        size = self._sizes.chunk
        while len(self._tail) >= size:
            first = np.array(self._tail.ids[:size], dtype=np.int64)
            self._rows.append(first, self._tail.rows(slice(size)))
            chunk = len(self._rows) // size - 1
            self._ids[chunk] = first
            self._located[chunk] = Located.among(first, first=chunk * size)
            self._joined = None
            self._tail.drop(size)
        room = self._sizes.segment + 2 * size
        self._drop(-(-(len(self._exact) - room) // size) * size)

    def wipe(self, ids: Ids) -> None:
        """After these were wiped from the zarr rows."""
        for chunk, own in self._ids.items():
            hit = np.isin(own, ids)
            if hit.any():
                own[hit] = 0
                self._located[chunk] = Located.among(own, first=chunk * self._sizes.chunk)
                self._joined = None
        self._tail.wipe(set(ids.tolist()))

    def search(self, query: Vectors, limit: int) -> Nearest:
        found, cosines = self._exact.search(query, limit, self._dead)
        parts = [Nearest(found, self._ids_at(found), cosines)]
        size = self._sizes.chunk
        for chunk in [it for it in self._ids if it * size < self._exact.first]:
            hidden = self._dead.of(chunk * size, size)
            at, cosines = nearest_in(self._rows.block(chunk), query, limit, hidden)
            parts.append(Nearest(at + chunk * size, self._ids[chunk][at], cosines))
        return Nearest.of(parts)

    def _ids_at(self, rows: Ids) -> Ids:
        size, end = self._sizes.chunk, len(self._rows)
        found = [
            self._tail.ids[it - end] if it >= end else int(self._ids[it // size][it % size])
            for it in rows.tolist()
        ]
        return np.array(found, dtype=np.int64)
