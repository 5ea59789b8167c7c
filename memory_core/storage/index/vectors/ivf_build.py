"""Builds a segment over zarr rows, block by block, beside the segments in use.

Only a sample of the rows, one block, and a few numbers per row are in memory. The contents of the
inverted lists, which FAISS would hold as a whole, are written list by list behind FAISS's own
bytes. The search effort is calibrated against the exact search, on a sample of the rows.
"""

import os
import struct
from bisect import bisect_left
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from ....infra import durable_files
from ....providers.embedders.base import Vectors
from .deleted_rows import DeletedRows
from .exact_search import Nearest, are_unit, nearest_in
from .ivf_file import PAGE, Header, write_header
from .ivf_segment import NO_SLOT, IvfSegment
from .zarr_rows import Halves, Ids, ZarrVectors

SAMPLE = 96
_K = 20
_MIN_RECALL = 0.97  # of each segment, and so of all together
_MIN_RECALL_IN_MANY_LISTS = 0.96  # there the last percent costs a fifth more time
_MANY = 16
_SPARES = (10, 20, 40)
UNFINISHED = ".unfinished"
_ROWS_A_LIST, _MAX_LISTS = 128, 1024
_TRAINED_A_LIST, _ROUNDS = 24, 8
_AT_ONCE = 8192
_END = struct.Struct("<4sQ")  # end of FAISS's bytes: encoding of the list sizes, number of lists


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchEffort:
    """The number of lists to search, the surplus of candidates to compare exactly, and the share of
    the twenty nearest that this finds.
    """

    nprobe: int
    spare: int
    recall: float


class ExactNeighbours:
    """Exact neighbours of some rows, gathered block by block."""

    def __init__(self, rows: Ids, queries: Vectors) -> None:
        self.rows = rows
        self.queries = queries
        self._best = [Nearest.empty() for _ in rows]

    def add_block(self, first: int, block: NDArray[np.float16], hidden: NDArray[np.bool_]) -> None:
        wide = block.astype(np.float32)
        for index, query in enumerate(self.queries):
            found, cosines = nearest_in(wide, query[None], _K + 1, hidden)
            both = [self._best[index], Nearest(found + first, found, cosines)]
            self._best[index] = Nearest.concatenate(both).best(_K + 1)

    def measure_recall(self, segment: IvfSegment, nprobe: int) -> list[float]:
        """Returns the recall for each surplus of candidates."""
        maximum = _K + 1 + _SPARES[-1]
        found = segment.search(self.queries, maximum, DeletedRows(), nprobe=nprobe)
        shares = [
            [self._share(index, nearest.rows[: _K + 1 + spare]) for spare in _SPARES]
            for index, nearest in enumerate(found)
        ]
        return np.mean(shares, axis=0).tolist() if shares else [1.0] * len(_SPARES)

    def _share(self, index: int, found: Ids) -> float:
        wanted = self._best[index].rows
        wanted = wanted[wanted != self.rows[index]][:_K]
        return float(np.isin(wanted, found).mean()) if len(wanted) else 1.0


def calibrate(segment: IvfSegment, truth: ExactNeighbours) -> SearchEffort:
    """Returns the least sufficient effort; the full effort where nothing less suffices."""
    lists = segment.header.lists
    recalls = cache(lambda nprobe: truth.measure_recall(segment, nprobe))

    def suffices(nprobe: int) -> bool:
        return max(recalls(nprobe)) >= _required_recall(nprobe)

    nprobe = _smallest_sufficient(suffices, lists)
    good = [recall >= _required_recall(nprobe) for recall in recalls(nprobe)]
    index = good.index(True) if any(good) else len(_SPARES) - 1
    return SearchEffort(
        nprobe=nprobe, spare=_SPARES[index], recall=round(recalls(nprobe)[index], 4)
    )


def _smallest_sufficient(suffices: Callable[[int], bool], maximum: int) -> int:
    """Searches upwards from the least effort, as many lists take long."""
    high = 1
    while high < maximum and not suffices(high):
        high *= 2
    return bisect_left(range(maximum + 1), True, high // 2 + 1, min(high, maximum), key=suffices)


def _required_recall(nprobe: int) -> float:
    return _MIN_RECALL_IN_MANY_LISTS if nprobe > _MANY else _MIN_RECALL


@dataclass(frozen=True, slots=True, kw_only=True)
class SegmentBuildPlan:
    """The rows to build over, in whole chunks; `dead` marks those to leave out."""

    rows: ZarrVectors
    chunk: int
    model: str
    first: int
    count: int
    dead: NDArray[np.bool_]
    path: Path

    def chunks(self) -> range:
        return range(self.first // self.chunk, (self.first + self.count) // self.chunk)

    def gather(self, positions: Ids) -> Vectors:
        return self.rows.gather(positions + self.first).astype(np.float32)


def build(plan: SegmentBuildPlan) -> None:
    """Writes the segment file: complete, calibrated and synced. Raises StorageFailed."""
    import faiss

    faiss.omp_set_num_threads(1)
    durable_files.make_folder(plan.path.parent)
    with (
        durable_files.temporary_file(plan.path.parent, suffix=UNFINISHED) as temporary,
        durable_files.naming_errors(plan.path),
    ):
        with temporary.open("r+b") as file:
            _write(plan, file, temporary)
        os.replace(temporary, plan.path)
    durable_files.sync_folder(plan.path.parent)


def _write(plan: SegmentBuildPlan, file: BinaryIO, path: Path) -> None:
    content = _SegmentContent(plan)
    header = content.write(file)
    write_header(file, header)
    segment = IvfSegment(path)
    if header.listed:
        reach = calibrate(segment, content.exact_neighbours())
        header = replace(header, nprobe=reach.nprobe, spare=reach.spare, recall=reach.recall)
    write_header(file, replace(header, sum=segment.checksum()))
    segment.close()


class _SegmentContent:
    """Content of a segment file. Rows are counted from the segment's first."""

    def __init__(self, plan: SegmentBuildPlan) -> None:
        self._plan = plan
        self._ids = np.concatenate([plan.rows.ids(chunk) for chunk in plan.chunks()])
        self._ids[~np.concatenate([are_unit(block) for block in self._blocks()])] = 0
        self._good = np.flatnonzero((self._ids != 0) & ~plan.dead)
        self._lists = max(1, min(_MAX_LISTS, len(self._good) // _ROWS_A_LIST))
        self._random = np.random.default_rng(plan.first)
        order = np.argsort(self._ids, kind="stable")
        self._order = order[np.count_nonzero(self._ids == 0) :]

    def write(self, file: BinaryIO) -> Header:
        index = self._trained()
        listed = self._in_lists(index)
        sizes = np.array([len(members) for members in listed], dtype="<u8")
        head = _head(index, sizes)
        faiss_at = 16 * len(self._order) + -len(head) % 8
        file.seek(PAGE)
        file.writelines(members.tobytes() for members in self._known(listed))
        file.seek(PAGE + faiss_at)
        file.write(head)
        self._write_lists(file, index, listed)
        size = file.tell() - PAGE
        return Header(
            model=self._plan.model, first=self._plan.first, count=self._plan.count,
            held=len(self._order), listed=len(self._good), lists=self._lists,
            width=int(index.code_size), faiss_at=faiss_at, lists_at=faiss_at + len(head), size=size,
        )  # fmt: skip

    def exact_neighbours(self) -> ExactNeighbours:
        positions = self._sampled(SAMPLE)
        truth = ExactNeighbours(positions + self._plan.first, self._plan.gather(positions))
        hidden = np.ones(self._plan.count, dtype=np.bool_)
        hidden[self._good] = False
        for number, block in enumerate(self._blocks()):
            begin = number * self._plan.chunk
            truth.add_block(begin + self._plan.first, block, hidden[begin : begin + len(block)])
        return truth

    def _blocks(self) -> Iterator[Halves]:
        return (self._plan.rows.block(chunk) for chunk in self._plan.chunks())

    def _sampled(self, limit: int) -> Ids:
        size = min(limit, len(self._good))
        return np.sort(self._random.choice(self._good, size, replace=False))

    def _trained(self) -> Any:  # noqa: ANN401  (faiss ships no types)
        import faiss

        sample = self._plan.gather(self._sampled(_TRAINED_A_LIST * self._lists))
        if not len(sample):
            sample = np.eye(1, sample.shape[1], dtype=np.float32)
        dim, kind = sample.shape[1], faiss.ScalarQuantizer.QT_8bit
        inner = faiss.METRIC_INNER_PRODUCT
        centres = faiss.IndexFlatIP(dim)
        index = faiss.IndexIVFScalarQuantizer(centres, dim, self._lists, kind, inner, False)
        index.cp.niter, index.cp.min_points_per_centroid = _ROUNDS, 1
        index.train(sample)
        return index

    def _in_lists(self, index: Any) -> list[Ids]:  # noqa: ANN401
        """Returns which of the good rows belong to each list."""
        lists = np.empty(len(self._good), dtype=np.int64)
        for first in range(0, len(self._good), _AT_ONCE):
            part = self._plan.gather(self._good[first : first + _AT_ONCE])
            lists[first : first + len(part)] = index.quantizer.search(part, 1)[1][:, 0]
        order = np.argsort(lists, kind="stable")
        ends = np.cumsum(np.bincount(lists, minlength=self._lists))
        return np.split(self._good[order], ends[:-1])

    def _known(self, listed: list[Ids]) -> tuple[NDArray[Any], ...]:
        slots = np.full(self._plan.count, NO_SLOT, dtype="<i4")
        slots[np.concatenate(listed)] = np.arange(len(self._good), dtype="<i4")
        order = self._order
        return self._ids[order].astype("<i8"), order.astype("<i4"), slots[order]

    def _write_lists(self, file: BinaryIO, index: Any, listed: list[Ids]) -> None:  # noqa: ANN401
        ranks = np.zeros(self._plan.count, dtype="<i8")
        ranks[self._order] = np.arange(len(self._order))
        for group in _grouped(listed):
            codes = index.sq.compute_codes(self._plan.gather(np.concatenate(group)))
            ends = np.cumsum([len(members) for members in group])
            for members, own in zip(group, np.split(codes, ends[:-1]), strict=True):
                file.write(own.tobytes())
                file.write(ranks[members].tobytes())


def _grouped(listed: list[Ids]) -> Iterator[list[Ids]]:
    """Yields groups of lists that together hold about one block."""
    group: list[Ids] = []
    for members in listed:
        group.append(members)
        if sum(map(len, group)) >= _AT_ONCE:
            yield group
            group = []
    if group:
        yield group


def _head(index: Any, sizes: NDArray[Any]) -> bytes:  # noqa: ANN401
    """Returns FAISS's bytes of this index up to the contents of its lists."""
    import faiss

    index.ntotal = int(sizes.sum())
    data = faiss.serialize_index(index).tobytes()
    index.ntotal = 0
    if data[-_END.size :] != _END.pack(b"sprs", 0):
        raise RuntimeError("this FAISS writes inverted lists in another way")
    return data[: -_END.size] + _END.pack(b"full", len(sizes)) + sizes.tobytes()
