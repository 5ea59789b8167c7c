"""Exact search over rows of half precision."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import faiss
import numpy as np

from memory_core.providers.embedders.base import unit
from memory_core.storage.index.vectors.deleted_rows import DeletedRows
from memory_core.storage.index.vectors.exact_search import ExactIndex, are_unit, cosines_of
from tests.cases import for_each

DIM = 16
ROWS = unit(np.random.default_rng(1).standard_normal((12, DIM)))
HALVES = ROWS.astype(np.float16)


def test_exact_index_drops_and_adds_rows_without_moving_others() -> None:
    exact = ExactIndex(DIM, 0)
    dead = DeletedRows()
    exact.add(HALVES[:8])
    dead.set(np.arange(4))
    assert sorted(exact.search(ROWS[:1], 8, dead)[0].tolist()) == [4, 5, 6, 7]
    exact.drop(4)
    exact.add(HALVES[8:])
    assert sorted(exact.search(ROWS[:1], 8, dead)[0].tolist()) == list(range(4, 12))


def test_rows_not_of_unit_length_have_no_cosine() -> None:
    damaged = HALVES.copy()
    damaged[0], damaged[1, 3], damaged[2, 5], damaged[3] = 0.0, np.nan, np.inf, 65504.0
    found = cosines_of(damaged, ROWS[7])
    assert np.isnan(found).tolist() == [True] * 4 + [False] * 8
    assert np.allclose(found[4:], ROWS[4:] @ ROWS[7], atol=2e-3)
    assert are_unit(damaged).tolist() == [False] * 4 + [True] * 8


def _search(exact: ExactIndex) -> None:
    exact.search(ROWS[:1], 8, DeletedRows())


def _compare(exact: ExactIndex) -> None:
    exact.cosines(ROWS[:1], np.arange(8))


@for_each("ask", [_search, _compare])
def test_exact_index_uses_one_thread_whoever_asks(ask: Callable[[ExactIndex], None]) -> None:
    exact = ExactIndex(DIM, 0)
    exact.add(HALVES)
    with ThreadPoolExecutor(max_workers=1) as other:  # has a setting of its own
        other.submit(faiss.omp_set_num_threads, 2).result()
        other.submit(ask, exact).result()
        assert other.submit(faiss.omp_get_max_threads).result() == 1
