"""Segments of one namespace: the usable files, the search through them, the next one to build.

Inverted lists give approximate candidates, which are ordered by exact cosines.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from ....infra import durable_files
from ....providers.embedders.base import Vectors
from .deleted_rows import DeletedRows
from .exact_search import Nearest, cosines_of, single_threaded_faiss
from .ivf_build import UNFINISHED
from .ivf_segment import IvfSegment
from .zarr_rows import ZarrVectors

_SUFFIX = ".ivf"
_UNUSABLE = (OSError, ValueError, LookupError, TypeError)  # what read_header may raise
_HOLES = 4  # rebuilt when one in four rows is dead
_CALIBRATED_FOR = 256  # results; more of them need more lists
_WIDER = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class ChunkSizes:
    """`chunk`: rows written to zarr at once. `segment`: rows, in whole chunks, that are searched
    exactly until an index is built over them. `merge`: neighbouring segments merged into one;
    `merges`: how often.

    Measured with 384 numbers a row and one thread: comparing with 32,768 rows takes .9 ms, an index
    .1 to .3 ms whatever its size; building over 8 * 32,768 rows takes seconds.
    """

    chunk: int = 4096
    segment: int = 32_768
    merge: int = 4
    merges: int = 2

    @property
    def levels(self) -> list[int]:
        """Returns how many rows segments hold, largest first."""
        return [self.segment * self.merge**level for level in range(self.merges, -1, -1)]


DEFAULT_SIZES = ChunkSizes()


class IvfSegments:
    """The usable segments, which do not overlap. Deletes the remains of others.

    Raises StorageFailed where the folder cannot be read.
    """

    def __init__(self, folder: Path, *, model: str, rows: int, sizes: ChunkSizes) -> None:
        self._folder = folder
        self._sizes = sizes
        self._latest = 0
        self.all: list[IvfSegment] = []
        for path in _newest_first(folder):
            self._latest = max(self._latest, _rank(path)[1])
            segment = _usable(path, model)
            if segment is None or segment.header.end > rows or self._overlapping(segment):
                durable_files.remove(path)
            else:
                self.all.append(segment)

    def __iter__(self) -> Iterator[IvfSegment]:
        return iter(self.all)

    def request(self) -> None:
        """Asks the system to read what every search needs, without waiting for it."""
        for segment in self.all:
            segment.request()

    def nearest(
        self, query: Vectors, limit: int, others: Nearest, *, rows: ZarrVectors, dead: DeletedRows
    ) -> Nearest:
        """Returns the nearest of the segments' rows and the `others`; `query` of shape (1, dim).

        Searches more lists until there are `limit` results or no lists are left.
        """
        segments = [segment for segment in self.all if segment.header.listed]
        single_threaded_faiss()
        spare = max((segment.header.spare for segment in segments), default=0)
        wider = max(1.0, limit / _CALIBRATED_FOR)
        found, is_all = others.best(limit), not segments
        while not is_all:
            headers = [segment.header for segment in segments]
            probes = [
                segment.probe(query, nprobe=int(segment.header.nprobe * wider))
                for segment in segments
            ]
            parts = [
                segment.search_lists(query, limit + segment.header.spare, dead, probe)
                for segment, probe in zip(segments, probes, strict=True)
            ]
            candidates = Nearest.concatenate(parts).best(limit + spare)
            exact = _with_exact_cosines(candidates, query, rows)
            found = Nearest.concatenate([others, exact]).best(limit)
            is_all = len(found.ids) >= limit or all(
                header.nprobe * wider >= header.lists for header in headers
            )
            wider *= _WIDER
        return found

    def covered(self) -> Iterator[range]:
        return (range(other.header.first, other.header.end) for other in self.all)

    def replace_overlapped(self, path: Path) -> IvfSegment:
        """Opens a new segment, which replaces all that it overlaps."""
        segment = IvfSegment(path)
        for other in self._overlapping(segment):
            self.drop(other)
        self.all.append(segment)
        return segment

    def drop(self, segment: IvfSegment) -> None:
        self.all.remove(segment)
        segment.close()
        segment.path.unlink(missing_ok=True)

    def next_range(self, rows: int, dead: DeletedRows) -> range | None:
        """Returns the range of the first `rows` to build the next segment over; None if there is
        none.
        """
        covered = list(self.covered())
        for size in self._sizes.levels:
            for start in range(0, rows - size + 1, size):
                if not any(start in span and len(span) >= size for span in covered):
                    return range(start, start + size)
        for other in self.all:
            count = other.count_dead(dead)
            if count and count * _HOLES >= max(1, other.header.listed):
                return range(other.header.first, other.header.end)
        return None

    def path_for(self, wanted: range) -> Path:
        self._latest += 1
        return self._folder / f"{wanted.start}-{len(wanted)}-{self._latest}{_SUFFIX}"

    def close(self) -> None:
        for other in self.all:
            other.close()
        self.all = []

    def _overlapping(self, segment: IvfSegment) -> list[IvfSegment]:
        first, end = segment.header.first, segment.header.end
        return [
            other for other in self.all if other.header.first < end and first < other.header.end
        ]


def _with_exact_cosines(found: Nearest, query: Vectors, rows: ZarrVectors) -> Nearest:
    """Leaves out rows that are not of unit length."""
    exact = cosines_of(rows.gather(found.rows), query[0])
    return Nearest(found.rows, found.ids, exact).only(np.flatnonzero(~np.isnan(exact)))


def _usable(path: Path, model: str) -> IvfSegment | None:
    """Opens a segment; None if it is truncated or of another model or version."""
    if path.suffix != _SUFFIX or path.name.endswith(UNFINISHED):
        return None
    try:
        segment = IvfSegment(path)
    except _UNUSABLE:
        return None
    return segment if segment.header.model == model else None


def _newest_first(folder: Path) -> list[Path]:
    with durable_files.naming_errors(folder):
        return sorted(folder.glob("*"), key=_rank, reverse=True)


def _rank(path: Path) -> tuple[int, int]:
    """Sorts larger segments first, then later ones."""
    try:
        _, count, number = path.stem.split("-")
        return int(count), int(number)
    except ValueError:
        return 0, 0
