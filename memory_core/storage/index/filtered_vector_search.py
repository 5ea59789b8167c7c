"""Vector search with its filter applied inside, so that a small result set is never missed."""

from collections.abc import Iterable

from ...providers.embedders.base import Vectors
from ..contract import SearchFilter, Side
from .catalog.vector_rows import VectorRows
from .fulltext.fulltext_search import FullTextSearch
from .vectors.model_vectors import ModelVectors

_FEW_MEMORIES = 3_000  # comparing with all their vectors takes milliseconds
_WIDER = 4
_MAX_VECTORS_ASKED = 10_000  # beyond this, all allowed vectors are compared
_MAX_MEMORIES_LISTED = 50_000  # their vectors are listed in one query


class FilteredVectorSearch:
    def __init__(self, vectors: ModelVectors, rows: VectorRows, fulltext: FullTextSearch) -> None:
        self._vectors = vectors
        self._vector_rows = rows
        self._fulltext = fulltext

    def search(self, query: Vectors, limit: int, only: SearchFilter) -> list[int]:
        """Returns rows of memories, best first, each by its better side."""
        few = None if only.is_all else self._vector_rows.allowed_if_few(only, _FEW_MEMORIES)
        if few is not None:
            return self._named(self._among(query, [few], limit), limit, only)
        sought = len(Side) * limit
        while sought <= _MAX_VECTORS_ASKED:
            ids, _ = self._vectors.search(query, sought)
            found = self._named(ids, limit, only)
            if len(found) >= limit or len(ids) < sought:
                return found
            sought *= _WIDER
        return self._named(self._among(query, self._allowed(only), limit), limit, only)

    def _allowed(self, only: SearchFilter) -> Iterable[list[int]]:
        more = self._vector_rows.allowed_if_few(only, _MAX_MEMORIES_LISTED)
        return self._vector_rows.allowed(only) if more is None else [more]

    def _among(self, query: Vectors, allowed: Iterable[list[int]], limit: int) -> list[int]:
        best: list[tuple[float, int]] = []
        for some in allowed:
            ids, cosines = self._vectors.search_among(query, some, len(Side) * limit)
            best = sorted([*best, *zip(cosines, ids, strict=True)], reverse=True)
            best = best[: len(Side) * limit]
        return [vector_id for _, vector_id in best]

    def _named(self, ids: list[int], limit: int, only: SearchFilter) -> list[int]:
        named = self._fulltext.rows_by_vector(ids, only)
        return list(dict.fromkeys(named[vector_id] for vector_id in ids if vector_id in named))[
            :limit
        ]
