"""Segments of one namespace: the usable files, and the next one to build."""

from collections.abc import Iterator
from pathlib import Path

from ....infra import durable_files
from .deleted_rows import DeletedRows
from .ivf_build import UNFINISHED
from .ivf_segment import IvfSegment
from .sizes import ChunkSizes

_SUFFIX = ".ivf"
_UNUSABLE = (OSError, ValueError, LookupError, TypeError)  # what read_header may raise
_HOLES = 4  # rebuilt when one in four rows is dead


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
        return next(self._next_due(rows, dead), None)

    def path_for(self, wanted: range) -> Path:
        self._latest += 1
        return self._folder / f"{wanted.start}-{len(wanted)}-{self._latest}{_SUFFIX}"

    def close(self) -> None:
        for other in self.all:
            other.close()
        self.all = []

    def _next_due(self, rows: int, dead: DeletedRows) -> Iterator[range]:
        covered = list(self.covered())
        for size in self._sizes.levels:
            for start in range(0, rows - size + 1, size):
                if not any(start in span and len(span) >= size for span in covered):
                    yield range(start, start + size)
        for other in self.all:
            if other.count_dead(dead) * _HOLES >= max(1, other.header.listed) and other.count_dead(
                dead
            ):
                yield range(other.header.first, other.header.end)

    def _overlapping(self, segment: IvfSegment) -> list[IvfSegment]:
        first, end = segment.header.first, segment.header.end
        return [
            other for other in self.all if other.header.first < end and first < other.header.end
        ]


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
