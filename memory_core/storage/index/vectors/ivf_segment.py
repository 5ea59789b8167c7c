"""Segment: an inverted file over some rows, searched in its mapped file.

FAISS's IVF with eight bits a number: among the thirty candidates that look nearest are the twenty
nearest, with all data measured. Its labels are the ranks of the vector ids.
"""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ....providers.embedders.base import Vectors
from .deleted_rows import DeletedRows, LiveRowSelector
from .exact_search import Nearest
from .id_lookup import IdLookup
from .ivf_file import PAGE, patch, read_header, sum_of
from .zarr_rows import Ids

NO_SLOT = -1


class IvfSegment:
    """A segment file, mapped for searches. Raises the errors of read_header()."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.header = read_header(path)
        held = self.header.held
        self._payload = np.asarray(np.memmap(path, dtype=np.uint8, mode="r", offset=PAGE))
        self._ids: Ids = self._payload[: 8 * held].view("<i8")
        self._order = self._payload[8 * held : 12 * held].view("<i4")
        self._slots = self._payload[12 * held : 16 * held].view("<i4")
        self.id_lookup = IdLookup(self._ids, self._order, first=self.header.first)
        self.is_checked = False
        self._index: Any = None
        self._seen = -1
        self._dead = 0
        self._alive = 0
        self._allowed: LiveRowSelector | None = None

    def checksum(self) -> int:
        return sum_of(self._payload)

    def search(
        self, queries: Vectors, limit: int, dead: DeletedRows, *, nprobe: int
    ) -> list[Nearest]:
        """Returns the nearest of each query, shape (n, dim), and their cosines, approximately."""
        import faiss

        if not self.header.listed:
            return [Nearest.empty()] * len(queries)
        self._update_allowed(dead)
        params = faiss.SearchParametersIVF()
        params.nprobe = min(nprobe, self.header.lists)
        params.sel = self._allowed.selector if self._allowed else None
        limit = min(limit, self.header.listed)
        cosines, ranks = self._opened().search(queries, limit, params=params)
        return [self._named(*pair) for pair in zip(ranks, cosines, strict=True)]

    def count_dead(self, dead: DeletedRows) -> int:
        """Returns how many rows in the lists are deleted."""
        self._update_allowed(dead)
        return self.header.erased + self._dead

    def count_live(self, dead: DeletedRows) -> int:
        """Returns how many rows can be found."""
        self._update_allowed(dead)
        return self._alive

    def unlisted(self) -> Ids:
        """Returns the rows in no list: they were deleted when it was built."""
        if self.header.listed == self.header.held:
            return np.empty(0, dtype=np.int64)
        return self.id_lookup.ids_at(np.flatnonzero(self._slots == NO_SLOT))

    def unlisted_among(self, ids: Ids) -> Ids:
        """Returns the rows of those of these ids that are in no list."""
        ranks = self.id_lookup.ranks(ids)
        ranks = ranks[ranks >= 0]
        return self.id_lookup.ids_at(ranks[self._slots[ranks] == NO_SLOT])

    def erase(self, ids: Ids) -> None:
        """Removes their codes and ids from the file."""
        after = self._ids_without(ids)
        changed = np.flatnonzero(after != self._ids)
        if not len(changed):
            return
        hit = np.flatnonzero(np.isin(self._ids, ids) & (self._slots != NO_SLOT))
        changes = {8 * int(offset): after[offset].tobytes() for offset in changed}
        for rank in hit.tolist():
            changes |= self._emptied(rank)
        header = self.header
        gone = header.gone + int(np.isin(ids, self._ids).sum())
        header = replace(header, erased=header.erased + len(hit), gone=gone)
        self.header = patch(self.path, header, changes)
        self._seen = -1  # forces a new count

    def close(self) -> None:
        self._index = None

    def _update_allowed(self, dead: DeletedRows) -> None:
        """Updates FAISS's selector of live rows."""
        if self._seen == dead.changes:
            return
        self._seen, self._dead, self._allowed = dead.changes, 0, None
        self._alive = self.header.held - self.header.gone
        rows = dead.deleted_in(self.header.first, self.header.count)
        if rows.any() or self.header.erased:
            hidden, listed = rows[self._order], self._slots != NO_SLOT
            self._alive = int(
                np.count_nonzero(np.diff(self._ids, prepend=0).astype(bool) & ~hidden)
            )
            self._dead = int(np.count_nonzero(hidden & listed))
            if self._dead or self.header.erased:
                self._allowed = LiveRowSelector(hidden | ~listed)

    def _opened(self) -> Any:  # noqa: ANN401  (faiss ships no types)
        if self._index is None:
            import faiss

            data = self._payload[self.header.faiss_at :]
            place = faiss.swig_ptr(data)
            reader = faiss.ZeroCopyIOReader(place, data.nbytes)  # type: ignore[attr-defined,unused-ignore]
            self._index = faiss.read_index(reader)
        return self._index

    def _named(self, ranks: Ids, cosines: NDArray[np.float32]) -> Nearest:
        found = (ranks >= 0) & (ranks < self.header.held)
        ranks = ranks[found]
        return Nearest(self.id_lookup.ids_at(ranks), self._ids[ranks], cosines[found])

    def _ids_without(self, ids: Ids) -> Ids:
        """Returns the ids, still ascending: an erased one is replaced by the next smaller id."""
        after = self._ids.copy()
        for vector_id in np.unique(ids):
            start, end = (
                np.searchsorted(after, vector_id),
                np.searchsorted(after, vector_id, side="right"),
            )
            after[start:end] = after[start - 1] if start else 0
        return after

    def _emptied(self, rank: int) -> dict[int, bytes]:
        """Returns the changes that clear its code, its label and its slot."""
        header, slot = self.header, int(self._slots[rank])
        offset = header.lists_at - 8 * header.lists
        sizes = self._payload[offset : header.lists_at].view("<u8").astype(np.int64)
        ends = np.cumsum(sizes)
        row = int(np.searchsorted(ends, slot, side="right"))
        begin, size, width = int(ends[row] - sizes[row]), int(sizes[row]), header.width
        start = header.lists_at + begin * (width + 8)
        return {
            start + (slot - begin) * width: bytes(width),
            start + size * width + (slot - begin) * 8: (-1).to_bytes(8, "little", signed=True),
            12 * header.held + 4 * rank: NO_SLOT.to_bytes(4, "little", signed=True),
        }
