"""Embedders as users may write them, for `package.module:Class`."""

from collections.abc import Sequence
from typing import Never

import numpy as np

from memory_core.providers.embedders.base import Vectors
from memory_core.providers.embedders.fake import FakeEmbedder


class Careless:
    """Returns correct vectors in an odd form: lists of float64, not of unit length."""

    name, dim, fingerprint = "careless", 16, "careless:16"

    def __init__(self, *, settings: object) -> None:
        self._fake = FakeEmbedder()

    def embed(self, texts: Sequence[str]) -> Vectors:
        return [[3.0 * float(x) for x in row] for row in self._fake.embed(texts)]

    def embed_query(self, text: str, *, timeout_s: float) -> Vectors:
        return np.asarray(self.embed([text])[0], dtype=np.float64)


class Raising(Careless):
    def embed(self, texts: Sequence[str]) -> Never:
        raise KeyError("no such model")

    embed_query = embed


class TooMany(Careless):
    def embed(self, texts: Sequence[str]) -> Vectors:
        return super().embed([*texts, "one more"])


class NoQuery:
    name, dim, fingerprint = "half", 3, "half"

    def __init__(self, *, settings: object) -> None:
        pass

    def embed(self, texts: Sequence[str]) -> Vectors:
        return []


class TakesNothing:
    pass


class Endless(Careless):
    def embed_query(self, text: str, *, timeout_s: float) -> None:
        import threading

        threading.Event().wait(20)
