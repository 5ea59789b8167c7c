"""A time limit bounds the waiting of its thread, and work begun for that thread goes on."""

import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from memory_core.domain.errors import StorageBusy, StorageFailed
from memory_core.domain.namespaces import Namespace
from memory_core.infra.deadlines import (
    cache_file_checks,
    checked_once,
    database_wait_s,
    has_time_limit,
    limit_database_wait,
    mark_checked,
    time_limit,
    was_checked,
    yield_to_prompts,
)
from memory_core.memory.namespace_pool import NamespacePool
from memory_core.storage.index.local import LocalStore
from tests.builders import said
from tests.in_time import within
from tests.meanwhile import PATIENCE_S, taken

ANA, BOB = Namespace("ana", "mira"), Namespace("bob", "mira")
AT_ONCE_S = 0.001


class Door:
    """Opens stores, Ana's only once the test allows it."""

    def __init__(self) -> None:
        self.goes_on = threading.Event()
        self.reached = threading.Event()
        self.opened: list[Path] = []

    def __call__(self, folder: Path) -> LocalStore:
        if "ana" in folder.parts:
            self.opened.append(folder)
            self.reached.set()
            assert self.goes_on.wait(PATIENCE_S)
        return LocalStore(folder)


@pytest.fixture
def door() -> Door:
    return Door()


@pytest.fixture
def pool(tmp_path: Path, door: Door) -> Iterator[NamespacePool]:
    opened = NamespacePool(tmp_path, open_store=door)
    yield opened
    door.goes_on.set()
    opened.close()


def count(pool: NamespacePool, namespace: Namespace) -> int:
    return pool.query(namespace, lambda store: store.counts())["live"]


def beside(work: Callable[[], object]) -> threading.Thread:
    thread = threading.Thread(target=work)
    thread.start()
    return thread


def test_prompt_does_not_wait_for_a_namespace_that_is_being_rebuilt(
    pool: NamespacePool, door: Door
) -> None:
    with pytest.raises(StorageBusy, match="ana / mira are being opened"), time_limit(AT_ONCE_S):
        count(pool, ANA)
    assert door.reached.wait(PATIENCE_S)
    door.goes_on.set()
    assert count(pool, ANA) == 0
    assert len(door.opened) == 1


def test_prompt_does_not_wait_for_a_namespace_that_another_thread_opens(
    pool: NamespacePool, door: Door
) -> None:
    other = beside(lambda: count(pool, ANA))
    assert door.reached.wait(PATIENCE_S)
    with pytest.raises(StorageBusy), time_limit(AT_ONCE_S):
        count(pool, ANA)
    door.goes_on.set()
    other.join(PATIENCE_S)
    assert len(door.opened) == 1


def test_many_prompts_open_a_namespace_only_once(pool: NamespacePool, door: Door) -> None:
    before = threading.active_count()
    for _ in range(5):
        with pytest.raises(StorageBusy), time_limit(AT_ONCE_S):
            count(pool, ANA)
    assert threading.active_count() == before + 1


def test_prompt_does_not_wait_for_a_namespace_in_exclusive_use(pool: NamespacePool) -> None:
    is_moved = pytest.raises(StorageBusy, match="being moved")
    with taken(pool.closed, BOB), is_moved, time_limit(AT_ONCE_S):
        count(pool, BOB)
    assert count(pool, BOB) == 0


def test_prompt_waits_up_to_its_time_limit(pool: NamespacePool, door: Door) -> None:
    door.goes_on.set()
    with time_limit(PATIENCE_S):
        with pool.open_namespace(ANA) as opened:
            opened.remember("talk", said("hello"))
        assert count(pool, ANA) == 1


def test_inner_time_limit_restores_the_outer_one(pool: NamespacePool) -> None:
    with time_limit(AT_ONCE_S):
        with time_limit(PATIENCE_S):
            assert count(pool, BOB) == 0
        with taken(pool.closed, BOB), pytest.raises(StorageBusy):
            count(pool, BOB)


def test_time_limit_holds_for_one_thread_inside_the_block_only(
    pool: NamespacePool, door: Door
) -> None:
    found: list[int] = []
    with time_limit(AT_ONCE_S):
        patient = beside(lambda: found.append(count(pool, ANA)))
    assert door.reached.wait(PATIENCE_S)
    door.goes_on.set()
    patient.join(PATIENCE_S)
    assert found == [0]
    assert count(pool, BOB) == 0


def test_error_while_opening_a_namespace_is_raised_unchanged(tmp_path: Path) -> None:
    def fails(folder: Path) -> LocalStore:
        raise StorageFailed("no space left")

    pool = NamespacePool(tmp_path, open_store=fails)
    with pytest.raises(StorageFailed, match="no space left"), time_limit(PATIENCE_S):
        count(pool, ANA)


def test_background_work_goes_on_once_the_last_prompt_is_built() -> None:
    passed = threading.Event()
    waiting = threading.Thread(target=lambda: (yield_to_prompts(60.0), passed.set()))
    with time_limit(60.0):
        waiting.start()
        with time_limit(60.0):
            pass
        assert not passed.is_set()
    assert passed.wait(60.0)
    waiting.join(60.0)


def test_background_work_waits_for_prompts_up_to_its_limit() -> None:
    with time_limit(60.0):
        yield_to_prompts(0.001)


def test_background_work_does_not_wait_when_no_prompt_is_built() -> None:
    with within(30.0):
        yield_to_prompts(60.0)


def test_database_wait_ends_at_the_earlier_of_both_limits() -> None:
    assert database_wait_s() is None
    with limit_database_wait(50.0), time_limit(5.0):
        assert 0.0 < (database_wait_s() or 0.0) <= 5.0
    with time_limit(50.0), limit_database_wait(5.0):
        assert 0.0 < (database_wait_s() or 0.0) <= 5.0
    assert database_wait_s() is None


def test_look_once_remembers_a_check_inside_its_block_only() -> None:
    seen = object()
    mark_checked(seen)
    assert not was_checked(seen)
    with cache_file_checks():
        assert not was_checked(seen)
        with cache_file_checks():
            mark_checked(seen)
        assert was_checked(seen)
        assert not was_checked(object())
    assert not was_checked(seen)


def test_checked_once_asks_again_after_a_change_and_outside_of_the_block() -> None:
    seen, answers = object(), iter((False, True, False))
    with cache_file_checks():
        assert [checked_once(seen, lambda: next(answers)) for _ in range(3)] == [False, True, True]
    assert not checked_once(seen, lambda: next(answers))


def test_check_under_a_time_limit_outlives_an_inner_look_once() -> None:
    seen = object()
    with time_limit(60.0):
        with cache_file_checks():
            mark_checked(seen)
        assert was_checked(seen)


def test_limit_database_wait_does_not_limit_other_waits() -> None:
    with limit_database_wait(AT_ONCE_S):
        assert not has_time_limit()
