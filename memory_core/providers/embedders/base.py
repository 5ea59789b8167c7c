"""The contract of every embedder, and a check of the vectors that foreign models return."""

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


def checked_rows(raw: object, *, count: int, dim: int) -> Vectors:
    """Returns `raw` as unit rows of shape (count, dim); with dim 0 any width is accepted.

    Raises ValueError for another shape, NaN or infinity.
    """
    with np.errstate(over="ignore"):
        rows = np.asarray(raw, dtype=np.float32)
    if rows.ndim != 2 or len(rows) != count:
        raise ValueError(f"{count} texts, but vectors of shape {rows.shape}")
    if not rows.shape[1]:
        raise ValueError("vectors without any numbers")
    if dim and rows.shape[1] != dim:
        raise ValueError(f"vectors of {rows.shape[1]} numbers instead of {dim}")
    if not np.isfinite(rows).all():
        raise ValueError("vectors that hold NaN or infinity")
    return unit(rows)


def empty_rows(dim: int) -> Vectors:
    """Returns the vectors of no texts, shape (0, dim)."""
    return np.zeros((0, dim), dtype=np.float32)
