"""The embedding model whose vectors a namespace searches now, and their similarity baseline.

Vectors of two models are never compared: vectors are added with their model's fingerprint, and a
search that a change of model interrupted notices it by `changes`.
"""

import threading
from collections.abc import Sequence
from typing import TYPE_CHECKING

from ..providers.embedders.base import Vectors
from ..recall.vector_score import SAMPLE, SimilarityBaseline, sample_baseline

if TYPE_CHECKING:
    from .namespace_memory import NamespaceMemory

_RESAMPLE_SHARE = 0.5  # of the sample, in newly embedded turns


class ActiveEmbeddingModel:
    """Safe for many threads. `changes` counts the calls of activate().

    `model` is a fingerprint, `dim` the width of its vectors; they are empty and 0 at first.
    """

    def __init__(self, owner: "NamespaceMemory") -> None:
        self._owner = owner
        self._lock = threading.Lock()
        self._embedded_since_baseline = 0
        self._similarity_baseline: SimilarityBaseline | None = None
        self.model = ""
        self.dim = 0
        self.changes = 0

    def activate(self, fingerprint: str, dim: int) -> None:
        """Makes the store search the vectors of this model from now on."""
        with self._lock:
            self.changes += 1
            self.model = ""
            self._owner.query(lambda store: store.vectors.use_model(fingerprint, dim))
            self._similarity_baseline = None
            self.model, self.dim = fingerprint, dim

    def add(self, fingerprint: str, vector_ids: Sequence[int], vectors: Vectors) -> None:
        """Stores vectors, unless another model has been activated meanwhile."""
        with self._lock:
            if self.model == fingerprint:
                self._owner.query(lambda store: store.vectors.add(vector_ids, vectors))
                self._embedded_since_baseline += len(vector_ids)

    def similarity_baseline(self) -> SimilarityBaseline:
        """Returns the sample for scaling similarities, taken again as more texts are embedded."""
        baseline = self._similarity_baseline
        if baseline is None or self._embedded_since_baseline > _RESAMPLE_SHARE * len(baseline.user):
            return self._sample_again()
        return baseline

    def refresh_full_baseline(self) -> None:
        """Samples again after texts were embedded, so that the next start finds a kept sample.

        Called in the background. A smaller sample is skipped: drawing it takes no time.
        """
        baseline = self._similarity_baseline
        if baseline and len(baseline.user) == SAMPLE and self._embedded_since_baseline:
            self._sample_again()

    def _sample_again(self) -> SimilarityBaseline:
        self._embedded_since_baseline, changes, dim = 0, self.changes, self.dim
        baseline = self._owner.query(lambda store: sample_baseline(store, dim))
        self._similarity_baseline = baseline if changes == self.changes else None
        return baseline

    def drop_similarity_baseline(self) -> None:
        """Drops the sample, which may contain a text that was just forgotten."""
        self._similarity_baseline = None
