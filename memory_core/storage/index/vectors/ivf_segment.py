"""Segment: an inverted file over some rows, searched in its mapped file.

FAISS's IVF with eight bits a number: among the thirty candidates that look nearest are the twenty
nearest, with all data measured. Its labels are the ranks of the vector ids.
"""

from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ....infra.mapped_file import MappedFile
from ....providers.embedders.base import Vectors
from .deleted_rows import DeletedRows, LiveRowSelector
from .exact_search import Nearest
from .id_lookup import IdLookup
from .ivf_file import PAGE, patch, read_header, sum_of
from .zarr_rows import Ids

NO_SLOT = -1
_LABEL = 8  # bytes


class Probe(NamedTuple):
    """The lists to search for a query, with the cosines of their centres, both of shape (1, n)."""

    cosines: NDArray[np.float32]
    lists: Ids


class IvfSegment:
    """A segment file, mapped for searches. Raises the errors of read_header()."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.header = read_header(path)
        held = self.header.held
        self._file = MappedFile(path)
        self._payload = self._file.bytes[PAGE:]
        self._ids: Ids = self._payload[: 8 * held].view("<i8")
        self._order = self._payload[8 * held : 12 * held].view("<i4")
        self._slots = self._payload[12 * held : 16 * held].view("<i4")
        self.id_lookup = IdLookup(self._ids, self._order, first=self.header.first)
        self._requested = np.zeros(self.header.lists, dtype=np.bool_)  # by list
        self.is_checked = False
        self._index: Any = None
        self._seen = -1
        self._dead = 0
        self._allowed: LiveRowSelector | None = None

    def request(self) -> None:
        """Requests all that searches jump about in: ids, their rows and FAISS's centres."""
        header = self.header
        self._file.request(self._payload[header.faiss_at : header.lists_at])
        self._file.request(self._payload[: 12 * header.held])

    def checksum(self) -> int:
        with self._file.read_in_order():
            return sum_of(self._payload)

    def search(
        self, queries: Vectors, limit: int, dead: DeletedRows, *, nprobe: int
    ) -> list[Nearest]:
        """Returns the nearest of each query, shape (n, dim), and their cosines, approximately."""
        if not self.header.listed:
            return [Nearest.empty()] * len(queries)
        limit, params = min(limit, self.header.listed), self._params(dead, nprobe)
        cosines, ranks = self._opened().search(queries, limit, params=params)
        return [self._named(*pair) for pair in zip(ranks, cosines, strict=True)]

    def probe(self, query: Vectors, *, nprobe: int) -> Probe:
        """Returns the lists nearest to a query of shape (1, dim), and requests their content.

        A caller that probes all segments before it searches them waits once for the disk.
        """
        count = min(nprobe, self.header.lists)
        cosines, lists = self._opened().quantizer.search(query, count)
        missing = lists[0][~self._requested[lists[0]]]
        if len(missing):
            self._requested[missing] = True
            starts, sizes = self._list_starts(), self._list_sizes()
            width = self.header.width + _LABEL
            for number in missing.tolist():
                start = self.header.lists_at + int(starts[number]) * width
                self._file.request(self._payload[start : start + int(sizes[number]) * width])
        return Probe(cosines, lists)

    def search_lists(self, query: Vectors, limit: int, dead: DeletedRows, probe: Probe) -> Nearest:
        """Searches the probed lists, as search() does."""
        import faiss

        limit, index = min(limit, self.header.listed), self._opened()
        cosines = np.empty((1, limit), dtype=np.float32)
        ranks = np.empty((1, limit), dtype=np.int64)
        # FAISS's own wrapper of this method takes no parameters.
        index.search_preassigned_c(
            1,
            faiss.swig_ptr(query),
            limit,
            *(faiss.swig_ptr(each) for each in (probe.lists, probe.cosines, cosines, ranks)),
            False,
            self._params(dead, probe.lists.shape[1]),
        )
        return self._named(ranks[0], cosines[0])

    def _params(self, dead: DeletedRows, nprobe: int) -> Any:  # noqa: ANN401
        import faiss

        self._update_allowed(dead)
        params = faiss.SearchParametersIVF()
        params.nprobe = min(nprobe, self.header.lists)
        params.sel = self._allowed.selector if self._allowed else None
        return params

    def count_dead(self, dead: DeletedRows) -> int:
        """Returns how many rows in the lists are deleted."""
        self._update_allowed(dead)
        return self.header.erased + self._dead

    def unlisted(self) -> Ids:
        """Returns the rows in no list: they were deleted when it was built."""
        if self.header.listed == self.header.held:
            return np.empty(0, dtype=np.int64)
        self._file.request(self._slots)
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
        rows = dead.deleted_in(self.header.first, self.header.count)
        if rows.any() or self.header.erased:
            self._file.request(self._slots)
            hidden, listed = rows[self._order], self._slots != NO_SLOT
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

    def _list_sizes(self) -> Ids:
        """Returns the number of rows in each list."""
        offset = self.header.lists_at - 8 * self.header.lists
        return self._payload[offset : self.header.lists_at].view("<u8").astype(np.int64)

    def _list_starts(self) -> Ids:
        """Returns how many rows are in the lists before each."""
        sizes = self._list_sizes()
        return np.asarray(np.cumsum(sizes) - sizes)

    def _emptied(self, rank: int) -> dict[int, bytes]:
        """Returns the changes that clear its code, its label and its slot."""
        header, slot = self.header, int(self._slots[rank])
        starts, sizes = self._list_starts(), self._list_sizes()
        row = int(np.searchsorted(starts, slot, side="right")) - 1
        begin, size, width = int(starts[row]), int(sizes[row]), header.width
        start = header.lists_at + begin * (width + _LABEL)
        return {
            start + (slot - begin) * width: bytes(width),
            start + size * width + (slot - begin) * 8: (-1).to_bytes(8, "little", signed=True),
            12 * header.held + 4 * rank: NO_SLOT.to_bytes(4, "little", signed=True),
        }
