"""A few hundred vectors in segments, and the files in their folder."""

from pathlib import Path

import numpy as np
import pytest

from memory_core.providers.embedders.base import Vectors, unit
from memory_core.storage.index.vectors.ivf_file import read_header
from memory_core.storage.index.vectors.model_vectors import ModelVectors
from memory_core.storage.index.vectors.segment_list import ChunkSizes

DIM = 16
SMALL = ChunkSizes(chunk=64, segment=256, merge=4)
COUNT = 700  # two segments, two chunks that none covers, sixty rows in the tail


def drawn(count: int, *, clustered: bool, seed: int = 1) -> Vectors:
    random = np.random.default_rng(seed)
    noise = unit(random.standard_normal((count, DIM)))
    centres = unit(np.random.default_rng(0).standard_normal((9, DIM)))
    return unit(noise + 2.0 * centres[random.integers(0, 9, count)]) if clustered else noise


ROWS = drawn(COUNT, clustered=True)
IDS = np.arange(1, COUNT + 1)


def opened(folder: Path, *, sizes: ChunkSizes = SMALL) -> ModelVectors:
    return ModelVectors(folder, fingerprint="m", dim=DIM, sizes=sizes)


def found_ids(file: ModelVectors, highest: int = 2 * COUNT) -> list[int]:
    """Returns the ids from 1 on that can be found."""
    ids = range(1, highest + 1)
    return [number for number, is_found in zip(ids, file.contains(ids), strict=True) if is_found]


def upkept(file: ModelVectors) -> ModelVectors:
    while file.maintain():
        pass
    return file


def fill(folder: Path) -> Path:
    """Fills the folder with vectors and builds all segments."""
    file = opened(folder)
    file.add(IDS.tolist(), ROWS)
    upkept(file).close()
    return folder


def files(folder: Path) -> list[Path]:
    return sorted((folder / "segments").iterdir())


def covered(folder: Path) -> list[tuple[int, int]]:
    headers = [read_header(path) for path in files(folder)]
    return sorted((header.first, header.count) for header in headers)


def recall(file: ModelVectors, rows: Vectors, *, gone: frozenset[int] = frozenset()) -> float:
    """Returns the share of the twenty nearest, by numpy, that is found; checks that no erased one
    is.
    """
    alive = [memory_id for memory_id in IDS.tolist() if memory_id not in gone]
    shares = []
    for query in drawn(20, clustered=True, seed=2):
        cosines = rows[np.array(alive) - 1] @ query
        wanted = {alive[index] for index in np.argsort(-cosines)[:20]}
        found, returned = file.search(query, 20)
        assert gone.isdisjoint(found)
        assert returned == pytest.approx(
            [float(rows[memory_id - 1] @ query) for memory_id in found], abs=2e-3
        )
        shares.append(len(wanted & set(found)) / 20)
    return float(np.mean(shares))
