"""Exact search: compares every row with the query, in half precision."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ....providers.embedders.base import Vectors
from .deleted_rows import DeletedRows, LiveRowSelector
from .zarr_rows import Halves, Ids


def single_threaded_faiss() -> Any:  # noqa: ANN401  (the library ships no types)
    """Returns FAISS set to one thread, since a second one slows down a search of one query.

    The setting belongs to the calling Python thread, and starts at the number of cores.
    """
    import faiss

    faiss.omp_set_num_threads(1)
    return faiss


@dataclass(frozen=True, slots=True, eq=False)
class Nearest:
    """Rows with their cosines and ids."""

    rows: Ids
    ids: Ids
    cosines: NDArray[np.float32]

    @classmethod
    def empty(cls) -> "Nearest":
        return cls(np.empty(0, np.int64), np.empty(0, np.int64), np.empty(0, np.float32))

    @classmethod
    def concatenate(cls, parts: "list[Nearest]") -> "Nearest":
        if len(parts) < 2:
            return parts[0] if parts else cls.empty()
        return cls(
            np.concatenate([part.rows for part in parts]),
            np.concatenate([part.ids for part in parts]),
            np.concatenate([part.cosines for part in parts]),
        )

    def best(self, limit: int) -> "Nearest":
        order = np.argsort(-self.cosines, kind="stable")[:limit]
        return self.only(order)

    def only(self, which: NDArray[np.generic]) -> "Nearest":
        return Nearest(self.rows[which], self.ids[which], self.cosines[which])


class ExactIndex:
    """Rows from `first` on, as halves in FAISS's memory: 768 bytes for 384 numbers."""

    def __init__(self, dim: int, first: int) -> None:
        import faiss

        kind = faiss.ScalarQuantizer.QT_fp16
        self._index = faiss.IndexScalarQuantizer(dim, kind, faiss.METRIC_INNER_PRODUCT)
        self.dim = dim
        self.first = first
        self._seen = (-1, -1, -1)
        self._allowed: LiveRowSelector | None = None

    def __len__(self) -> int:
        return int(self._index.ntotal)

    def add(self, rows: Halves) -> None:
        if len(rows):
            self._index.add_sa_codes(_codes(rows), None)

    def drop(self, count: int) -> None:
        """Drops the first rows."""
        import faiss

        self._index.remove_ids(faiss.IDSelectorRange(0, count))
        self.first += count

    def search(
        self, query: Vectors, limit: int, dead: DeletedRows
    ) -> tuple[Ids, NDArray[np.float32]]:
        """Returns row numbers with their cosines; `query` has the shape (1, dim)."""
        faiss, count = single_threaded_faiss(), len(self)
        now = (dead.changes, self.first, count)
        if self._seen != now:
            self._seen, hidden = now, dead.deleted_in(self.first, count)
            self._allowed = LiveRowSelector(hidden) if hidden.any() else None
        if not count:
            return np.empty(0, np.int64), np.empty(0, np.float32)
        params = faiss.SearchParameters()
        params.sel = self._allowed.selector if self._allowed else None
        scores, order = self._index.search(query, min(limit, count), params=params)
        found = order[0] >= 0
        return order[0][found] + self.first, scores[0][found]

    def cosines(self, query: Vectors, rows: Ids) -> NDArray[np.float32]:
        """Returns the cosines of these rows, all of them here, with a query of shape (1, dim)."""
        faiss = single_threaded_faiss()
        count = len(self)
        wanted = np.zeros(count, dtype=bool)
        wanted[rows - self.first] = True
        allowed, params = LiveRowSelector(~wanted), faiss.SearchParameters()
        params.sel = allowed.selector
        scores, order = self._index.search(query, int(wanted.sum()), params=params)
        found = np.full(count + 1, np.nan, dtype=np.float32)
        found[order[0]] = scores[0]  # -1, where a row holds no number, is the last
        return found[rows - self.first]


def cosines_of(rows: Halves, query: Vectors) -> NDArray[np.float32]:
    """Returns the cosine of each row with a query of shape (dim,); nan for rows not of unit length.

    FAISS reads halves seven times faster than numpy converts them.
    """
    compared = _Comparison(rows)
    cosines = compared.with_one(query)
    cosines[~compared.are_unit()] = np.nan
    return cosines


def are_unit(rows: Halves) -> NDArray[np.bool_]:
    """Returns, row by row, whether the length is 1. A damaged row may hold anything."""
    return _Comparison(rows).are_unit()


class _Comparison:
    """Compares a few rows with one; yields nan for values that cannot be compared."""

    def __init__(self, rows: Halves) -> None:
        import faiss

        self._count, dim = rows.shape
        self._zero = np.zeros(dim, dtype=np.float32)
        self._index = faiss.IndexScalarQuantizer(dim, faiss.ScalarQuantizer.QT_fp16)
        if self._count:
            self._index.add_sa_codes(_codes(rows), None)

    def with_one(self, query: Vectors) -> NDArray[np.float32]:
        import faiss

        return self._scores(query, faiss.METRIC_INNER_PRODUCT)

    def are_unit(self) -> NDArray[np.bool_]:
        import faiss

        squares = self._scores(self._zero, faiss.METRIC_L2)
        with np.errstate(invalid="ignore"):
            return np.asarray(np.abs(np.sqrt(squares) - 1.0) < 0.05)

    def _scores(self, query: Vectors, metric: int) -> NDArray[np.float32]:
        single_threaded_faiss()
        scores = np.full(self._count, np.nan, dtype=np.float32)
        if self._count:
            self._index.metric_type = metric
            row = np.ascontiguousarray(query[None], np.float32)
            found, order = self._index.search(row, self._count)
            scores[order[order >= 0]] = found[order >= 0]
        return scores


def _codes(rows: Halves) -> NDArray[np.uint8]:
    return np.ascontiguousarray(rows).view(np.uint8).reshape(len(rows), -1)


def nearest_in(
    block: Halves | Vectors, query: Vectors, limit: int, dead: NDArray[np.bool_]
) -> tuple[Ids, NDArray[np.float32]]:
    """Searches one block without any preparation: milliseconds for a few thousand rows."""
    with np.errstate(all="ignore"):  # dead rows may be damaged
        cosines = block.astype(np.float32) @ query[0]
    cosines[dead] = -np.inf
    order = np.argpartition(-cosines, min(limit, len(cosines)) - 1)[:limit]
    order = order[np.isfinite(cosines[order])]
    return order, cosines[order]
