"""Turns the vector of a message towards the memories that answer it.

The built-in model was trained on many tasks, and not all of its 512 dimensions tell what a text is
about. A matrix weighs them, so that the products of vectors resemble those of all-MiniLM-L6-v2,
which tells English texts apart better. It was learned from English alone, and helps in the model's
other languages, too, as the model puts them all in one space. Only the message is changed: the
stored vectors stay as they are. benchmarks/fit_query_adapter.py makes the matrix.
"""

from functools import cache
from pathlib import Path

import numpy as np

from ..providers.embedders.base import Vectors, unit

MATRIX = Path(__file__).with_name("query_adapter.npy")
MODEL = "built-in:universal-sentence-encoder-multilingual-3"


def adapt_query(fingerprint: str, vector: Vectors) -> Vectors:
    """Returns the vector to search with, shape (dim,), of length one.

    Returns the vectors of other models unchanged.
    """
    return unit(_load() @ vector) if fingerprint == MODEL else vector


@cache
def _load() -> Vectors:
    """Returns the symmetric matrix, shape (dim, dim)."""
    matrix: Vectors = np.load(MATRIX).astype(np.float32)
    return matrix
