"""Which model's vectors of a namespace can be searched now, and the sample that they are read by.

Vectors of two models are never compared: what is given says of which model it is, and who searched
while the model changed finds that out by `changes`.
"""

import threading
from collections.abc import Callable, Sequence
from typing import Protocol, TypeVar

from ..providers.embedders.base import Vectors
from ..recall.vector_score import SimilarityBaseline, sample_baseline
from ..storage.contract import MemoryStore

_RESAMPLE_SHARE = 0.5  # of the sample, in newly embedded turns

T = TypeVar("T")


class HasStore(Protocol):
    def query(self, use: Callable[[MemoryStore], T]) -> T: ...


class ActiveEmbeddingModel:
    """Safe for many threads. `model` is a fingerprint, `dim` the width of its vectors; empty and 0
    until use(). `changes` counts how often another model was begun with.
    """

    def __init__(self, place: HasStore) -> None:
        self._owner = place
        self._lock = threading.Lock()
        self._embedded_since_baseline = 0
        self._similarity_baseline: SimilarityBaseline | None = None
        self.model = ""
        self.dim = 0
        self.changes = 0

    def activate(self, fingerprint: str, dim: int) -> None:
        """Has the store search vectors of this model from now on."""
        with self._lock:
            self.changes += 1
            self.model = ""
            self._owner.query(lambda store: store.use_model(fingerprint, dim))
            self._similarity_baseline = None
            self.model, self.dim = fingerprint, dim

    def add(self, fingerprint: str, vector_ids: Sequence[int], vectors: Vectors) -> None:
        """Keeps vectors of this model; nothing where another one is in use by now."""
        with self._lock:
            if self.model == fingerprint:
                self._owner.query(lambda store: store.add_vectors(vector_ids, vectors))
                self._embedded_since_baseline += len(vector_ids)

    def similarity_baseline(self) -> SimilarityBaseline:
        """The sample that a message's vector is compared with; made anew as more is embedded."""
        known = self._similarity_baseline
        if known is None or self._embedded_since_baseline > _RESAMPLE_SHARE * len(known.user):
            self._embedded_since_baseline, changes, dim = 0, self.changes, self.dim
            known = self._owner.query(lambda store: sample_baseline(store, dim))
            self._similarity_baseline = known if changes == self.changes else None
        return known

    def drop_similarity_baseline(self) -> None:
        """What is in it was forgotten."""
        self._similarity_baseline = None
