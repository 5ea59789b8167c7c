"""Vectors of the demo's English sample talks and suggestions, for search by meaning.

shipped_vectors.npz has the vectors of all-MiniLM-L6-v2 for these texts, and for the sentences by
which recall measures a model's English; .ci/shipped_vectors.py writes it. It contains no model, so
any other text has no vector, and is searched by words until a model is chosen.
"""

import hashlib
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from ...domain.errors import EmbedderNotReady
from ...providers.embedders.base import Vectors, unit

FILE = Path(__file__).with_name("shipped_vectors.npz")
_DIM = 384


class ShippedVectors:
    """An embedder that looks its texts up; `settings` are those of every embedder, unused here."""

    name = "vectors that come with the demo"
    dim = _DIM

    def __init__(self, settings: object = None) -> None:
        keys, queries, self._rows = _load_vectors()
        self._index = {int(key): index for index, key in enumerate(keys)}
        self._queries = frozenset(map(int, queries))
        self.fingerprint = f"shipped:{hashlib.sha256(FILE.read_bytes()).hexdigest()[:16]}"

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Returns a row for each text: zeros, which no store keeps, for one without a vector.

        Suggestions get none here: when asked again, they would only find themselves.
        """
        rows = np.zeros((len(texts), _DIM), dtype=np.float32)
        for place, key in enumerate(map(text_key, texts)):
            if key in self._index and key not in self._queries:
                rows[place] = self._rows[self._index[key]]
        return rows

    def embed_query(self, text: str, *, timeout_s: float) -> Vectors:
        """Raises EmbedderNotReady for a text without a vector, which is then searched by words."""
        if not self.has(text):
            raise EmbedderNotReady("the demo has vectors for its suggestions only")
        row: Vectors = self._rows[self._index[text_key(text)]]
        return row

    def has(self, text: str) -> bool:
        """Returns whether this text has a vector."""
        return text_key(text) in self._index


def text_key(text: str) -> int:
    """Returns the number that stands for this text in the file."""
    return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=8).digest(), "big")


@cache
def _load_vectors() -> tuple[Any, Any, Vectors]:
    with np.load(FILE, allow_pickle=False) as found:
        return found["keys"], found["queries"], unit(found["rows"])
