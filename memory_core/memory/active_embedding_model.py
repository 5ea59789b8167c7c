"""Which model's vectors of a namespace can be searched now, and the sample that they are read by.

Vectors of two models are never compared: what is given says of which model it is, and who searched
while the model changed finds that out by `changes`.
"""

import threading
from collections.abc import Callable, Sequence
from typing import Protocol, TypeVar

from ..providers.embedders.base import Vectors
from ..recall.vector_score import Backdrop, backdrop_of
from ..storage.contract import MemoryStore

_MADE_ANEW = 0.5  # of the sample, in newly embedded turns

T = TypeVar("T")


class Place(Protocol):
    def read(self, use: Callable[[MemoryStore], T]) -> T: ...


class Embedded:
    """Safe for many threads. `model` is a fingerprint, `dim` the width of its vectors; empty and 0
    until use(). `changes` counts how often another model was begun with.
    """

    def __init__(self, place: Place) -> None:
        self._place = place
        self._changing = threading.Lock()
        self._since = 0
        self._backdrop: Backdrop | None = None
        self.model = ""
        self.dim = 0
        self.changes = 0

    def use(self, fingerprint: str, dim: int) -> None:
        """Has the store search vectors of this model from now on."""
        with self._changing:
            self.changes += 1
            self.model = ""
            self._place.read(lambda store: store.use_model(fingerprint, dim))
            self._backdrop = None
            self.model, self.dim = fingerprint, dim

    def add(self, fingerprint: str, vector_ids: Sequence[int], vectors: Vectors) -> None:
        """Keeps vectors of this model; nothing where another one is in use by now."""
        with self._changing:
            if self.model == fingerprint:
                self._place.read(lambda store: store.add_vectors(vector_ids, vectors))
                self._since += len(vector_ids)

    def backdrop(self) -> Backdrop:
        """The sample that a message's vector is compared with; made anew as more is embedded."""
        known = self._backdrop
        if known is None or self._since > _MADE_ANEW * len(known.user):
            self._since, changes, dim = 0, self.changes, self.dim
            known = self._place.read(lambda store: backdrop_of(store, dim))
            self._backdrop = known if changes == self.changes else None
        return known

    def drop_backdrop(self) -> None:
        """What is in it was forgotten."""
        self._backdrop = None
