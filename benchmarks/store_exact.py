"""Finds the true nearest vectors by comparing every vector of the store."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from benchmarks.store_fill import conversations
from benchmarks.store_talk import SPACE, Opened
from benchmarks.timing import percentile, times
from memory_core.providers.embedders.base import Vectors

Halves = NDArray[np.float16]
_CHUNK = 20_000  # exchanges
_ALL = 1_000_000
_MAX_ROWS = 200_000  # of the scans that are timed: 300 MB


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """Live memories with the rows of both sides, (n, 2, dim), rounded as a store may round them,
    and what they say.
    """

    ids: Sequence[str]
    rows: Halves
    texts: Sequence[str] = ()


def parts(opened: Opened, memories: int) -> Iterator[Part]:
    """Yields all live memories, in parts."""
    ids: list[str] = []
    sides: list[str] = []
    for name, _, _ in conversations(memories):
        for memory in opened.memory.conversation(SPACE, name, _ALL):
            assert memory.exchange is not None
            ids.append(memory.id)
            sides += (memory.exchange.user, memory.exchange.assistant)
        if len(ids) >= _CHUNK:
            yield _part(opened, ids, sides)
            ids, sides = [], []
    if ids:
        yield _part(opened, ids, sides)


def _part(opened: Opened, ids: list[str], sides: list[str]) -> Part:
    rows = opened.embedder.embed(sides).astype(np.float16)
    texts = [f"{user} {answer}" for user, answer in zip(sides[::2], sides[1::2], strict=True)]
    return Part(ids=ids, rows=rows.reshape(len(ids), 2, -1), texts=texts)


class Nearest:
    """The k memories nearest to each query, shape (n, dim), among all parts that it was given."""

    def __init__(self, queries: Vectors, k: int) -> None:
        self._queries = queries
        self._k = k
        self._best: list[list[tuple[float, str]]] = [[] for _ in queries]

    def see(self, part: Part) -> None:
        rows = part.rows.astype(np.float32)
        cosines = np.maximum(self._queries @ rows[:, 0].T, self._queries @ rows[:, 1].T)
        for row_number, row in enumerate(cosines):
            top = np.argsort(-row)[: self._k] if len(row) <= self._k else _top(row, self._k)
            found = [(float(row[it]), part.ids[it]) for it in top]
            self._best[row_number] = sorted(self._best[row_number] + found, reverse=True)[: self._k]

    def ids(self) -> list[set[str]]:
        return [{memory_id for _, memory_id in best} for best in self._best]


def _top(row: Vectors, k: int) -> NDArray[np.intp]:
    return np.argpartition(-row, k)[:k]


def scans(rows: Vectors, queries: Vectors, k: int) -> dict[str, float]:
    """Times a plain scan of these rows, by numpy and by FAISS in one thread."""
    import faiss

    faiss.omp_set_num_threads(1)
    index = faiss.IndexFlatIP(rows.shape[1])
    index.add(rows)
    flat = times(lambda query: index.search(query[None], k), queries)
    exact = times(lambda query: _scan(rows, query, k), queries)
    return {
        "scan_vectors": len(rows),
        "faiss_flat_ms_p50": round(percentile(flat, 50), 3),
        "exact_scan_ms_p50": round(percentile(exact, 50), 3),
    }


def _scan(rows: Vectors, query: Vectors, k: int) -> NDArray[np.intp]:
    cosines = rows @ query
    return np.argsort(-cosines)[:k] if len(cosines) <= k else _top(cosines, k)


@dataclass(slots=True, kw_only=True)
class Sample:
    """The first rows of many, for the scans that are timed."""

    rows: list[Halves]
    count: int = 0

    def see(self, part: Part) -> None:
        if self.count < _MAX_ROWS:
            rows = part.rows.reshape(-1, part.rows.shape[-1])[: _MAX_ROWS - self.count]
            self.rows.append(rows)
            self.count += len(rows)

    def taken(self) -> Vectors:
        return np.concatenate(self.rows).astype(np.float32)
