"""Consistent reads: one thread keeps its snapshot while others write and read."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from memory_core.storage.index.local import LocalStore
from memory_core.storage.log.events import EventType
from tests.builders import added, said
from tests.storage.index.scene import change, found


@pytest.fixture
def store(tmp_path: Path) -> LocalStore:
    store = LocalStore(tmp_path)
    store.apply([added(1, "id1", said("a dog"))], {})
    return store


def test_consistent_read_belongs_to_one_thread(store: LocalStore) -> None:
    with store.consistent_read(), ThreadPoolExecutor(1) as other:
        store.apply([added(2, "id2", said("a dog, too"))], {})
        assert other.submit(found, store, "dog").result() == ["id1", "id2"]
        assert found(store, "dog") == ["id1"]
    assert found(store, "dog") == ["id1", "id2"]


def test_nested_consistent_read_sees_the_outer_snapshot(store: LocalStore) -> None:
    with store.consistent_read():
        store.apply([change(EventType.FORGET, "id1")], {})
        with store.consistent_read():
            assert found(store, "dog") == ["id1"]
        assert found(store, "dog") == ["id1"]
    assert found(store, "dog") == []


def test_consistent_read_ends_with_a_failed_search(store: LocalStore) -> None:
    with pytest.raises(ZeroDivisionError), store.consistent_read():
        raise ZeroDivisionError
    store.apply([change(EventType.FORGET, "id1")], {})
    assert found(store, "dog") == []
