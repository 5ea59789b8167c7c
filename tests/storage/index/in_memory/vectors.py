"""The vector index of an in-memory store: every search compares all vectors."""

import math
from collections.abc import Collection, Iterable, Sequence
from itertools import chain

import numpy as np

from memory_core.domain.records import Memory
from memory_core.providers.embedders.base import Vectors
from memory_core.storage.contract import (
    NO_FILTER,
    Column,
    PassageColumns,
    PendingEmbedding,
    SearchFilter,
    Side,
    VectorPair,
)

from .records import InMemoryRecords
from .rows import texts_by_side, vector_id_pair, vector_ids


class InMemoryVectors:
    """A VectorIndex for one thread, and a few thousand memories."""

    def __init__(self, records: InMemoryRecords) -> None:
        self._records = records
        self._vectors: dict[int, Vectors] = {}
        self._unusable_vectors: set[int] = set()
        self._model = ("", 0)

    def search(self, query: Vectors, *, limit: int, only: SearchFilter = NO_FILTER) -> list[str]:
        if query.shape != (self._model[1],):
            return []
        ids = [memory.id for memory in self._records.live(only)]
        best = {
            memory_id: max(float(row @ query) for row in pair if row is not None)
            for memory_id, pair in self.get(ids).items()
        }
        return sorted(best, key=lambda memory_id: -best[memory_id])[:limit]

    def get(self, ids: Collection[str]) -> dict[str, VectorPair]:
        live = (memory for memory in self._records.live() if memory.id in ids)
        pairs = {memory.id: self._pair(memory) for memory in live}
        return {name: pair for name, pair in pairs.items() if any(row is not None for row in pair)}

    def _pair(self, memory: Memory) -> VectorPair:
        user, assistant = vector_id_pair(memory)
        return self._vectors.get(user), self._vectors.get(assistant)

    def cosines(self, passages: PassageColumns, query: Vectors) -> Column:
        ids = passages.ids[: passages.weighed_count]
        if query.shape != (self._model[1],):
            return np.full((len(ids), len(Side)), np.nan)
        pairs = self.get(ids)
        rows = chain(*(pairs.get(memory_id, (None, None)) for memory_id in ids))
        found = [math.nan if row is None else float(row @ query) for row in rows]
        return np.array(found).reshape(len(ids), len(Side))

    def embedded_pairs(self, limit: int) -> list[str]:
        live = self._records.live()
        whole = [one for one in live if all(row is not None for row in self._pair(one))]
        whole.sort(key=vector_id_pair)
        return [memory.id for memory in whole[:limit]]

    def keep_sample(self, ids: Collection[str], content: bytes) -> None:
        """Does nothing, since samples are cheap here."""

    def kept_sample(self) -> bytes:
        return b""

    def use_model(self, fingerprint: str, dim: int) -> None:
        if self._model != (fingerprint, dim):
            self._vectors, self._unusable_vectors = {}, set()
        self._model = (fingerprint, dim)

    def has_other_models(self) -> bool:
        return False

    def pending(self, limit: int) -> list[PendingEmbedding]:
        if not self._model[0]:
            return []
        known = self._unusable_vectors | set(self._vectors)
        wanted = [
            PendingEmbedding(vector_id=vector_id, text=texts_by_side(memory)[side])
            for memory in reversed(self._records.live())
            for vector_id, side in vector_ids(memory).items()
        ]
        return [pending for pending in wanted if pending.vector_id not in known][:limit]

    def add(self, vector_ids: Sequence[int], vectors: Vectors) -> None:
        wanted = self._records.wanted_vectors()
        for vector_id, row in zip(vector_ids, vectors, strict=True):
            if vector_id in wanted and np.isclose(np.linalg.norm(row), 1.0, atol=0.05):
                self._vectors[vector_id] = row
            elif vector_id in wanted:
                self._unusable_vectors.add(vector_id)

    def drop(self, vector_ids: Iterable[int]) -> None:
        """Deletes the vectors of texts that changed or went away."""
        for unwanted in vector_ids:
            self._vectors.pop(unwanted, None)

    def counts(self) -> dict[str, int]:
        wanted, known = self._records.wanted_vectors(), set(self._vectors)
        return {
            "vectors": len(wanted),
            "embedded": len(wanted & known),
            "lacking": len(wanted - known - self._unusable_vectors),
        }
