"""One at a time, but nobody waits long."""

import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from datetime import UTC, datetime

import pytest

from memory_core.infra.bounded_lock import OneByOne
from memory_core.recall.query import Query
from memory_core.recall.search import SEARCHES, Reach, search
from memory_core.storage.index.in_memory import InMemoryStore

SOON_S, LONG_S = 0.05, 10.0


@pytest.fixture
def other() -> Iterator[ThreadPoolExecutor]:
    with ThreadPoolExecutor(1) as pool:
        yield pool


def test_the_second_begins_when_the_first_is_done(other: ThreadPoolExecutor) -> None:
    searches, began = OneByOne(patience_s=LONG_S), threading.Event()

    def second() -> None:
        with searches.turn():
            began.set()

    with searches.turn():
        waiting = other.submit(second)
        assert not began.wait(SOON_S)
    waiting.result(LONG_S)
    assert began.is_set()


def test_who_waited_long_enough_goes_on_and_takes_no_turn_from_others(
    other: ThreadPoolExecutor,
) -> None:
    searches = OneByOne(patience_s=0.01)

    def second() -> bool:
        with searches.turn():
            return True

    with searches.turn():
        assert other.submit(second).result(LONG_S)
        assert searches._lock.locked()
    assert not searches._lock.locked()


def test_a_turn_ends_with_a_fault() -> None:
    searches = OneByOne(patience_s=LONG_S)
    with pytest.raises(ZeroDivisionError), searches.turn():
        raise ZeroDivisionError
    with searches.turn():
        assert searches._lock.locked()


def test_searches_take_turns(other: ThreadPoolExecutor) -> None:
    began = threading.Event()

    class Store(InMemoryStore):
        @contextmanager
        def moment(self) -> Iterator[None]:
            began.set()
            yield

    query = Query(text="bees", now=datetime.now(UTC))
    with SEARCHES.turn():
        waiting = other.submit(search, Store(), query, None, Reach(limit=3))
        assert not began.wait(SOON_S)
    assert waiting.result(LONG_S).candidates == []
    assert began.is_set()
