"""Projects vectors of memories onto a plane: nearby points say similar things."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..domain.namespaces import Namespace
from ..domain.records import Memory
from ..providers.embedders.base import Vectors
from ..storage.store import MemoryStore
from .long_term_memory import LongTermMemory

MAX_POINTS = 1_500


@dataclass(frozen=True, slots=True, kw_only=True)
class MapPoint:
    """A memory and its place, both coordinates from 0 to 1."""

    memory: Memory
    x: float
    y: float


def meaning_map(memory: LongTermMemory, namespace: Namespace) -> list[MapPoint]:
    """Returns up to 1,500 live exchanges as points; none where no vectors are stored."""
    with memory.open_namespace(namespace) as opened:
        found = opened.query(_sampled)
        hidden = opened.hidden_ids()
    kept = [(one, vector) for one, vector in found if one.id not in hidden]
    if not kept:
        return []
    places = project(np.stack([vector for _, vector in kept]))
    return [
        MapPoint(memory=one, x=float(x), y=float(y))
        for (one, _), (x, y) in zip(kept, places.tolist(), strict=True)
    ]


def _sampled(store: MemoryStore) -> list[tuple[Memory, Vectors]]:
    """Returns arbitrary exchanges, each with the mean of its two vectors."""
    ids = store.vectors.embedded_pairs(MAX_POINTS)
    records, pairs = store.catalog.get(ids), store.vectors.get(ids)
    both = ((name, [row for row in pairs.get(name, ()) if row is not None]) for name in ids)
    return [
        (records[name].memory, np.mean(rows, axis=0))
        for name, rows in both
        if rows and name in records
    ]


def project(vectors: Vectors) -> Vectors:
    """Returns the two principal components of rows of shape (n, dim), each scaled to 0 … 1."""
    centred = vectors.astype(np.float64) - vectors.mean(axis=0)
    _, axes = np.linalg.eigh(centred.T @ centred)
    flat = centred @ axes[:, ::-1][:, :2]
    if flat.shape[1] == 1:
        flat = np.hstack([flat, np.zeros_like(flat)])
    flat *= _signs(flat)
    low, high = flat.min(axis=0), flat.max(axis=0)
    scaled: Vectors = (flat - low) / np.where(high > low, high - low, 1.0)
    return scaled


def _signs(flat: Vectors) -> Sequence[float]:
    """Returns a sign for each axis that does not depend on the library's choice."""
    farthest = np.abs(flat).argmax(axis=0)
    signs = np.sign(flat[farthest, range(flat.shape[1])])
    return [float(sign) or 1.0 for sign in signs]
