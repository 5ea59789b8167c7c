"""Rows that no segment covers: searched exactly."""

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from ....providers.embedders.base import Vectors
from .deleted_rows import DeletedRows
from .exact_search import ExactIndex, Nearest, are_unit, nearest_in
from .id_lookup import IdLookup
from .segment_list import ChunkSizes
from .write_ahead import VectorWriteAhead
from .zarr_rows import Ids, ZarrVectors


class UnindexedVectors:
    """Vectors in uncovered zarr chunks and in the write-ahead file.

    The newest rows are also in memory. After a large import there may be far more than one
    segment's worth; the rest is read from the disk.
    """

    def __init__(
        self,
        rows: ZarrVectors,
        tail: VectorWriteAhead,
        dead: DeletedRows,
        *,
        dim: int,
        sizes: ChunkSizes,
    ) -> None:
        self._rows = rows
        self._tail = tail
        self._dead = dead
        self._sizes = sizes
        self._ids: dict[int, Ids] = {}
        self._id_lookup: dict[int, IdLookup] = {}
        self._joined: Sequence[IdLookup] | None = None
        self._dim = dim
        self._exact: ExactIndex  # set by load()

    @property
    def id_lookup(self) -> Sequence[IdLookup]:
        """Returns one lookup over all chunks, which is faster than one each.

        An id in two chunks, as a dead row and a live one, needs separate lookups.
        """
        if self._joined is None:
            parts = list(self._id_lookup.values())
            joined = IdLookup.joined(parts)
            self._joined = parts if joined.has_twins else [joined]
        return self._joined

    def load(self, covered: Iterable[range]) -> None:
        """Loads all chunks except those in these ranges of rows."""
        self._load_uncovered(covered)
        free, size = set(self._ids), self._sizes.chunk
        first = len(self._rows) // size
        while first - 1 in free and (len(self._rows) // size - first) * size < self._sizes.segment:
            first -= 1
        exact = ExactIndex(self._dim, first * size)
        for chunk in range(first, len(self._rows) // size):
            exact.add(self._rows.block(chunk))
        exact.add(self._tail.rows())
        self._exact = exact

    def update(self, covered: Iterable[range]) -> None:
        """Updates after a change of the covered ranges, without reading known chunks again."""
        last = self._load_uncovered(covered)
        self._drop(last - self._exact.first)

    def _load_uncovered(self, covered: Iterable[range]) -> int:
        """Returns the row after the last covered one."""
        size = self._sizes.chunk
        taken = {row // size for part in covered for row in part[::size]}
        for chunk in [known for known in self._ids if known in taken]:
            del self._ids[chunk], self._id_lookup[chunk]
            self._joined = None
        for chunk in range(len(self._rows) // size):
            if chunk not in taken and chunk not in self._ids:
                self._load_chunk(chunk)
        return max((part + 1 for part in taken), default=0) * size

    def _load_chunk(self, chunk: int) -> None:
        ids, first = self._rows.ids(chunk), chunk * self._sizes.chunk
        unit = are_unit(self._rows.block(chunk))
        ids[~unit] = 0
        self._ids[chunk] = ids
        self._id_lookup[chunk], self._joined = IdLookup.from_ids(ids, first=first), None
        self._dead.set(np.flatnonzero(ids == 0) + first)

    def _drop(self, count: int) -> None:
        if count > 0:
            self._exact.drop(min(count, len(self._exact)))

    def add(self, ids: Ids, vectors: np.ndarray[tuple[int, int], np.dtype[np.float16]]) -> None:
        """Appends rows to the write-ahead file, and moves whole chunks of it to zarr."""
        self._tail.append(ids, vectors)
        self._exact.add(vectors)
        size = self._sizes.chunk
        while len(self._tail) >= size:
            first = np.array(self._tail.ids[:size], dtype=np.int64)
            self._rows.append(first, self._tail.rows(slice(size)))
            chunk = len(self._rows) // size - 1
            self._ids[chunk] = first
            self._id_lookup[chunk] = IdLookup.from_ids(first, first=chunk * size)
            self._joined = None
            self._tail.drop(size)
        room = self._sizes.segment + 2 * size
        self._drop(-(-(len(self._exact) - room) // size) * size)

    def wipe(self, ids: Ids) -> None:
        """Removes vectors that were wiped from zarr."""
        for chunk, own in self._ids.items():
            hit = np.isin(own, ids)
            if hit.any():
                own[hit] = 0
                self._id_lookup[chunk] = IdLookup.from_ids(own, first=chunk * self._sizes.chunk)
                self._joined = None
        self._tail.wipe(set(ids.tolist()))

    def search(self, query: Vectors, limit: int) -> Nearest:
        found, cosines = self._exact.search(query, limit, self._dead)
        parts = [Nearest(found, self._ids_at(found), cosines)]
        size = self._sizes.chunk
        for chunk in [known for known in self._ids if known * size < self._exact.first]:
            hidden = self._dead.deleted_in(chunk * size, size)
            positions, cosines = nearest_in(self._rows.block(chunk), query, limit, hidden)
            parts.append(Nearest(positions + chunk * size, self._ids[chunk][positions], cosines))
        return Nearest.concatenate(parts)

    def holds(self, rows: Ids) -> bool:
        """Returns whether all of these rows are in memory, where cosines() compares them."""
        first = self._exact.first
        return bool(len(rows)) and bool(
            rows.min() >= first and rows.max() < first + len(self._exact)
        )

    def cosines(self, query: Vectors, rows: Ids) -> NDArray[np.float32]:
        return self._exact.cosines(query[None], rows)

    def _ids_at(self, rows: Ids) -> Ids:
        size, end = self._sizes.chunk, len(self._rows)
        found = [
            self._tail.ids[row - end] if row >= end else self._ids[row // size].item(row % size)
            for row in rows.tolist()
        ]
        return np.array(found, dtype=np.int64)
