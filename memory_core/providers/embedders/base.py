"""What every embedder promises."""

from collections.abc import Sequence
from typing import Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

Vectors = NDArray[np.float32]


class Embedder(Protocol):
    """Turns texts into unit-length float32 rows, one per text, always `dim` wide.

    `fingerprint` names model and settings: vectors of different fingerprints are never
    compared. `dim` is 0 until the first vector has been seen, where the model tells only then.
    Raises EmbedderUnavailable, and nothing else, when vectors cannot be had now.
    """

    @property
    def name(self) -> str: ...

    @property
    def dim(self) -> int: ...

    @property
    def fingerprint(self) -> str: ...

    def embed(self, texts: Sequence[str]) -> Vectors:
        """Documents: shape (len(texts), dim)."""
        ...

    def embed_query(self, text: str, *, timeout_s: float) -> Vectors:
        """One query: shape (dim,). Gives up (EmbedderUnavailable) after about `timeout_s`."""
        ...


def unit(rows: ArrayLike) -> Vectors:
    """Rows of length one; a row of zeros stays as it is. Shape (n, dim) in, the same out."""
    matrix = np.asarray(rows, dtype=np.float32)
    norms = np.linalg.norm(matrix, axis=-1, keepdims=True)
    return np.asarray(matrix / np.where(norms == 0, 1.0, norms), dtype=np.float32)
