"""Vectors of one model: rows in zarr and a write-ahead file, searched through segments.

A vector's id is a hash of what was embedded: it outlives a rebuild of the catalog. Rows never
move; unwanted ones are marked as deleted, and wiped later. Segments are derived from the rows;
without them all rows are searched exactly, with the same results but more slowly.
"""

import threading
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import suppress
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ....infra import durable_files
from ....providers.embedders.base import Vectors
from .deleted_rows import DeletedRows
from .exact_search import Nearest, are_unit, cosines_of
from .ivf_build import SegmentBuildPlan, build
from .sample_file import SampleFile
from .segment_list import DEFAULT_SIZES, ChunkSizes, IvfSegments
from .unindexed import UnindexedVectors
from .write_ahead import VectorWriteAhead
from .zarr_rows import UNREADABLE, Halves, Ids, ZarrVectors, read_model_mark

_ZARR, _TAIL, _SEGMENTS, _SAMPLE = "embeddings.zarr", "tail.f16", "segments", "sample"
_AT_ONCE = 4096


class ModelVectors:
    """Vectors of one model; files of another model or width are dropped. Safe for many threads.

    Opening reads next to nothing; the rest is read when it is first needed. `sample` is for
    callers that sample the vectors.
    """

    def __init__(
        self, folder: Path, *, fingerprint: str, dim: int, sizes: ChunkSizes = DEFAULT_SIZES
    ) -> None:
        self.model_mark = f"{fingerprint} {dim}"
        self._folder = folder
        self._dim = dim
        self._sizes = sizes
        self._lock = threading.RLock()
        self._building = threading.Lock()
        self._wiped: list[Ids] = []
        self._is_closed = False
        self._dead = DeletedRows()
        durable_files.make_folder(folder)
        self._rows = self._opened()
        self._tail = VectorWriteAhead(folder / _TAIL, mark=self.model_mark, dim=dim)
        self._unindexed = UnindexedVectors(self._rows, self._tail, self._dead, dim=dim, sizes=sizes)
        self._segments: IvfSegments | None = None
        self.sample = SampleFile(folder / _SAMPLE)

    @classmethod
    def open_existing(
        cls, folder: Path, *, sizes: ChunkSizes = DEFAULT_SIZES
    ) -> "ModelVectors | None":
        """Opens the index of any model in this folder; None if there is no readable one.

        Raises StorageFailed where the disk does not answer.
        """
        with durable_files.naming_errors(folder), suppress(*UNREADABLE):
            path = folder / _ZARR
            mark = (
                read_model_mark(path)
                if durable_files.exists(path)
                else VectorWriteAhead.mark_in(folder / _TAIL)
            )
            fingerprint, _, dim = mark.rpartition(" ")
            return cls(folder, fingerprint=fingerprint, dim=int(dim), sizes=sizes)
        return None

    @property
    def row_count(self) -> int:
        """Returns the number of rows, live or not."""
        return len(self._rows) + len(self._tail)

    def contains(self, ids: Sequence[int]) -> NDArray[np.bool_]:
        """Returns a boolean array: which of these ids can be found."""
        with self._lock:
            return self._live_rows_of(_array(ids)) >= 0

    def add(self, ids: Sequence[int], vectors: Vectors) -> None:
        """Adds unit rows of shape (n, dim); ignores other rows and known ids."""
        rows = np.ascontiguousarray(vectors, dtype=np.float16)
        given = _array(ids)
        with self._lock:
            self.revive(ids)
            fresh = are_unit(rows) & (self._live_rows_of(given) < 0) & (given != 0)
            chosen = np.flatnonzero(fresh)
            chosen = chosen[np.sort(np.unique(given[chosen], return_index=True)[1])]
            if len(chosen):
                self._unindexed.add(given[chosen], rows[chosen])
                self.sample.admit(given[chosen].tolist())

    def discard(self, ids: Collection[int]) -> None:
        """Hides vectors from the search; erase() removes them from the disk."""
        with self._lock:
            rows = self._live_rows_of(_array(ids))
            self._dead.set(rows[rows >= 0])
            self.sample.discard(ids)

    def revive(self, ids: Collection[int]) -> None:
        """Brings back discarded vectors that were not erased yet.

        Those that a segment left out meanwhile have to be added again.
        """
        given = _array(ids)
        with self._lock:
            left_out = [_array([]), *(segment.unlisted_among(given) for segment in self._loaded())]
            for _, rows in self._all_rows_of(given):
                dead = rows[self._dead.are_deleted(rows) & ~np.isin(rows, np.concatenate(left_out))]
                whole = are_unit(self._gathered(dead)) if len(dead) else dead.astype(bool)
                self._dead.set(dead[whole], dead=False)
                if whole.any():
                    self.sample.admit(ids)

    def erase(self, ids: Collection[int]) -> None:
        """Overwrites these vectors with zeros, in rows and segments.

        The segments come last: should a crash come between, they still lead to the rows.
        """
        doomed = _array(ids)
        with self._lock:
            self.discard(ids)
            segments = self._loaded()
            rows = np.concatenate([rows for _, rows in self._all_rows_of(doomed)] or [_array([])])
            self._rows.wipe(np.unique(rows[rows < len(self._rows)]))
            self._unindexed.wipe(doomed)
            for segment in segments:
                segment.erase(doomed)
            if self._building.locked():
                self._wiped.append(doomed)

    def search(self, query: Vectors, limit: int) -> tuple[list[int], list[float]]:
        """Returns the nearest ids with their cosines, best first.

        Returns fewer than `limit` only if there are no more, and none for a query of another width.
        """
        with self._lock:
            if limit <= 0 or query.shape != (self._dim,):
                return [], []
            found = self._nearest(np.ascontiguousarray(query[None], dtype=np.float32), limit)
        return found.ids.tolist(), found.cosines.tolist()

    def search_among(
        self, query: Vectors, ids: Sequence[int], limit: int
    ) -> tuple[list[int], list[float]]:
        """Returns the nearest of these ids with their exact cosines, best first."""
        given = _array(ids)
        cosines = self.cosines(query, given)
        order = np.argsort(-cosines)[:limit]  # nan sorts last
        order = order[~np.isnan(cosines[order])]
        return given[order].tolist(), cosines[order].tolist()

    def cosines(self, query: Vectors, ids: Ids) -> NDArray[np.float32]:
        """Returns the cosine of each id with the query; nan for ids that cannot be found."""
        cosines, order = np.full(len(ids), np.nan, dtype=np.float32), np.argsort(ids)
        if query.shape == (self._dim,):
            for first in range(0, len(ids), _AT_ONCE):  # sorted ids are found faster
                part = order[first : first + _AT_ONCE]
                cosines[part] = self._search_exactly(query, ids[part])
        return cosines

    def rows(self, ids: Sequence[int]) -> dict[int, Vectors]:
        """Returns id → vector of shape (dim,), for the known ids."""
        given = _array(ids)
        with self._lock:
            rows = self._live_rows_of(given)
            halves = self._gathered(rows[rows >= 0])
        wide = halves.astype(np.float32)
        known = zip(given[rows >= 0].tolist(), wide, are_unit(halves), strict=True)
        return {vector_id: row for vector_id, row, is_unit in known if is_unit}

    def ids_from(self, row: int) -> tuple[Ids, int] | None:
        """Returns some ids of the rows from this one on, and the row to go on from; None at the
        end.
        """
        size = self._sizes.chunk
        with self._lock:
            if row >= len(self._rows) + len(self._tail):
                return None
            if row >= len(self._rows):
                return _array([vector_id for vector_id in self._tail.ids if vector_id]), row + len(
                    self._tail
                )
            end = min(row + max(_AT_ONCE, size), len(self._rows))
            ids = np.concatenate(
                [self._rows.ids(chunk) for chunk in range(row // size, end // size)]
            )
            return ids[ids != 0], end

    def find_damage(self) -> tuple[list[int], list[str]]:
        """Returns ids that count as known but whose rows are damaged, and names of damaged
        segments.

        Reads all there is, and drops the damaged segments.
        """
        size = self._sizes.chunk
        with self._lock:
            broken = [
                segment for segment in self._loaded() if segment.checksum() != segment.header.sum
            ]
            for segment in broken:
                self._loaded().drop(segment)
            self._unindexed.update(self._loaded().covered())
            found: list[int] = []
            for chunk in range(len(self._rows) // size):
                ids = self._rows.ids(chunk)
                found += ids[(ids != 0) & ~are_unit(self._rows.block(chunk))].tolist()
            whole = self.rows(found)
            known = zip(found, self.contains(found).tolist(), strict=True)
            return [
                vector_id for vector_id, is_known in known if is_known and vector_id not in whole
            ], [segment.path.name for segment in broken]

    def maintain(self) -> bool:
        """Builds or checks one segment; returns whether there may be more to do.

        Searching and adding go on meanwhile. Raises StorageFailed.
        """
        if not self._building.acquire(blocking=False):
            return False
        try:
            return self._maintained()
        finally:
            self._building.release()

    def close(self) -> None:
        """Closes the files."""
        with self._lock:
            self._is_closed = True
            self._rows.close()
            if self._segments is not None:
                self._segments.close()

    def _maintained(self) -> bool:
        with self._lock:
            plan = self._plan()
        if plan is None:
            return self._check_one_segment()
        build(plan)
        plan.rows.close()
        with self._lock:
            revived = plan.dead & ~self._dead.deleted_in(plan.first, plan.count)
            # Another owner of these files may have erased vectors since.
            if self._is_closed or revived.any():
                plan.path.unlink(missing_ok=True)
            else:
                self._adopt(plan.path)
        return True

    def _plan(self) -> SegmentBuildPlan | None:
        """Plans the next segment, to be read through file handles of its own."""
        segments, self._wiped = self._loaded(), []
        wanted = segments.next_range(len(self._rows), self._dead)
        if wanted is None:
            return None
        return SegmentBuildPlan(
            rows=self._opened(),
            chunk=self._sizes.chunk,
            model=self.model_mark,
            first=wanted.start,
            count=len(wanted),
            dead=self._dead.deleted_in(wanted.start, len(wanted)),
            path=segments.path_for(wanted),
        )

    def _adopt(self, path: Path) -> None:
        segment = self._loaded().replace_overlapped(path)
        segment.is_checked = True
        for ids in self._wiped:  # erased during the build
            segment.erase(ids)
        self._unindexed.update(self._loaded().covered())

    def _check_one_segment(self) -> bool:
        with self._lock:
            waiting = [segment for segment in self._loaded() if not segment.is_checked]
        if not waiting:
            return False
        segment, header = waiting[0], waiting[0].header
        found = segment.checksum()
        with self._lock:
            if segment.header is header:  # else vectors were erased in it meanwhile
                segment.is_checked = True
                if found != header.sum:
                    self._loaded().drop(segment)
                    self._unindexed.update(self._loaded().covered())
        return True

    def _nearest(self, query: Vectors, limit: int) -> Nearest:
        exact = self._loaded_rows().search(query, limit)
        return self._loaded().nearest(query, limit, exact, rows=self._rows, dead=self._dead)

    def _search_exactly(self, query: Vectors, ids: Ids) -> NDArray[np.float32]:
        cosines = np.full(len(ids), np.nan, dtype=np.float32)
        with self._lock:
            rows = self._live_rows_of(ids)
            known = rows >= 0
            if self._loaded_rows().holds(rows[known]):
                cosines[known] = self._unindexed.cosines(query, rows[known])
                return cosines
            halves = self._gathered(rows[known])
        cosines[known] = cosines_of(halves, query)
        return cosines

    def _gathered(self, rows: Ids) -> Halves:
        is_new = rows >= (end := len(self._rows))
        if not is_new.any():
            return self._rows.gather(rows)
        found = np.empty((len(rows), self._dim), dtype=np.float16)
        found[~is_new] = self._rows.gather(rows[~is_new])
        found[is_new] = self._tail.gather(rows[is_new] - end)
        return found

    def _live_rows_of(self, ids: Ids) -> Ids:
        """Returns the live row of each id; -1 where there is none."""
        found = np.full(len(ids), -1, dtype=np.int64)
        left = np.arange(len(ids))
        for rows_of in self._id_sources():
            if not len(left):
                break
            rows = rows_of(ids[left])
            which = np.flatnonzero(rows >= 0)
            which = which[~self._dead.are_deleted(rows[which])]
            found[left[which]] = rows[which]
            left = left[found[left] < 0]
        return found

    def _all_rows_of(self, ids: Ids) -> Iterator[tuple[Ids, Ids]]:
        """Yields, for each source, the indices of ids with a row there, deleted or not, and the
        rows.
        """
        for rows_of in self._id_sources():
            rows = rows_of(ids)
            which = np.flatnonzero(rows >= 0)
            yield which, rows[which]

    def _id_sources(self) -> Iterator[Callable[[Ids], Ids]]:
        """Yields lookups from ids to rows; each returns -1 for unknown ids."""
        yield from (segment.id_lookup.rows for segment in self._loaded())
        yield from (lookup.rows for lookup in self._loaded_rows().id_lookup)
        yield self._newest

    def _newest(self, ids: Ids) -> Ids:
        indices = self._tail.find(ids)
        return np.where(indices < 0, -1, indices + len(self._rows))

    def _opened(self) -> ZarrVectors:
        path, chunk = self._folder / _ZARR, self._sizes.chunk
        try:
            return ZarrVectors(path, mark=self.model_mark, dim=self._dim, chunk=chunk)
        except UNREADABLE:
            durable_files.remove_durably(path)
            return ZarrVectors(path, mark=self.model_mark, dim=self._dim, chunk=chunk)

    def _loaded_rows(self) -> UnindexedVectors:
        self._loaded()
        return self._unindexed

    def _loaded(self) -> IvfSegments:
        """Opens the segments on first use, and loads all that none of them covers."""
        if self._segments is None:
            folder, rows = self._folder / _SEGMENTS, len(self._rows)
            self._segments = IvfSegments(
                folder, model=self.model_mark, rows=rows, sizes=self._sizes
            )
            for chunk in self._rows.unreadable_chunks:
                self._dead.set(np.arange(self._sizes.chunk) + chunk * self._sizes.chunk)
            for segment in self._segments:
                self._dead.set(segment.unlisted())
            self._unindexed.load(self._segments.covered())
            self._segments.request()  # last: smaller reads would have to wait for it
        return self._segments


def _array(ids: Collection[int]) -> Ids:
    return np.fromiter(ids, dtype=np.int64, count=len(ids))
