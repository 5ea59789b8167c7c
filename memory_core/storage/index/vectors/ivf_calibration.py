"""Calibrates the search effort of a segment against the exact search, on a sample of its rows."""

from bisect import bisect_left
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from ....providers.embedders.base import Vectors
from .deleted_rows import DeletedRows
from .exact_search import Nearest, nearest_in
from .ivf_segment import IvfSegment
from .zarr_rows import Ids

SAMPLE = 96
_K = 20
_MIN_RECALL = 0.97  # of each segment, and so of all together
_MIN_RECALL_IN_MANY_LISTS = 0.96  # there the last percent costs a fifth more time
_MANY = 16
_SPARES = (10, 20, 40)


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
