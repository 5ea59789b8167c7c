"""An embedder to check by eye: each word adds one at the index that its CRC-32 picks."""

import re
import zlib
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ...domain.unicode import well_formed
from .base import Vectors, empty_rows, unit


class FakeEmbedder:
    """Embedder for tests and demos: texts are near each other if they share words."""

    def __init__(self, *, dim: int = 16) -> None:
        self.name = "fake"
        self.dim = dim
        self.fingerprint = f"fake:{dim}"

    def embed(self, texts: Sequence[str]) -> Vectors:
        return unit([self._counts(text) for text in texts]) if texts else empty_rows(self.dim)

    def embed_query(self, text: str, *, timeout_s: float) -> Vectors:
        row: Vectors = self.embed([text])[0]
        return row

    def _counts(self, text: str) -> NDArray[np.intp]:
        words = re.findall(r"\w+", text.casefold()) or [text]
        indices = [zlib.crc32(well_formed(word).encode()) % self.dim for word in words]
        return np.bincount(indices, minlength=self.dim)
