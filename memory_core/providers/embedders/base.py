"""The contract of every embedder."""

from collections.abc import Sequence
from typing import Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

Vectors = NDArray[np.float32]


class Embedder(Protocol):
    """Turns texts into unit-length float32 rows, one per text, always `dim` wide.

    `fingerprint` names model and settings: vectors of different fingerprints are never
    compared. `dim` may be 0 until the first vector has been computed. Raises EmbedderUnavailable,
    and nothing else, when it cannot compute vectors now.
    """

    @property
    def name(self) -> str: ...

    @property
    def dim(self) -> int: ...

    @property
    def fingerprint(self) -> str: ...

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Returns the vectors of documents, shape (len(texts), dim)."""
        ...

    def embed_query(self, text: str, *, timeout_s: float) -> Vectors:
        """Returns the vector of one query, shape (dim,).

        Raises EmbedderUnavailable after about `timeout_s` seconds.
        """
        ...


def unit(rows: ArrayLike) -> Vectors:
    """Returns the rows scaled to length one, shape (n, dim). Rows of zeros stay unchanged."""
    matrix = np.asarray(rows, dtype=np.float32)
    norms = np.linalg.norm(matrix, axis=-1, keepdims=True)
    return np.asarray(matrix / np.where(norms == 0, 1.0, norms), dtype=np.float32)
