"""Search through segments: approximate candidates from inverted lists, ordered by exact cosines."""

from collections.abc import Sequence

import numpy as np

from ....providers.embedders.base import Vectors
from .deleted_rows import DeletedRows
from .exact_search import Nearest, cosines_of, single_threaded_faiss
from .ivf_segment import IvfSegment
from .zarr_rows import ZarrVectors

_CALIBRATED_FOR = 256  # results; more of them need more lists
_WIDER = 4


class SegmentSearch:
    """Searches these segments over the rows in zarr."""

    def __init__(
        self, segments: Sequence[IvfSegment], rows: ZarrVectors, dead: DeletedRows
    ) -> None:
        self._segments = segments
        self._rows = rows
        self._dead = dead

    def nearest(self, query: Vectors, limit: int, others: Nearest) -> Nearest:
        """Returns the nearest of the segments' rows and the `others`; `query` of shape (1, dim).

        Searches more lists until there are `limit` results or no lists are left.
        """
        single_threaded_faiss()
        spare = max((segment.header.spare for segment in self._segments), default=0)
        wider = max(1.0, limit / _CALIBRATED_FOR)
        while True:
            parts = self._search(query, limit, wider)
            candidates = Nearest.concatenate(parts).best(limit + spare)
            exact = self._with_exact_cosines(candidates, query)
            found = Nearest.concatenate([others, exact]).best(limit)
            headers = [segment.header for segment in self._segments]
            is_all = all(header.nprobe * wider >= header.lists for header in headers)
            if is_all or len(found.ids) >= limit:
                return found
            wider *= _WIDER

    def _search(self, query: Vectors, limit: int, wider: float) -> list[Nearest]:
        probed = [
            (segment, segment.probe(query, nprobe=int(segment.header.nprobe * wider)))
            for segment in self._segments
        ]
        return [
            segment.search_lists(query, limit + segment.header.spare, self._dead, probe)
            for segment, probe in probed
        ]

    def _with_exact_cosines(self, found: Nearest, query: Vectors) -> Nearest:
        """Leaves out rows that are not of unit length."""
        exact = cosines_of(self._rows.gather(found.rows), query[0])
        return Nearest(found.rows, found.ids, exact).only(np.flatnonzero(~np.isnan(exact)))
