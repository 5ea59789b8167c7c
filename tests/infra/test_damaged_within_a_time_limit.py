"""A damaged store delays no prompt: it is rebuilt in the background."""

import threading
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path

import pytest

from memory_core.domain.errors import StorageBusy, StorageCorrupt
from memory_core.domain.records import Exchange
from memory_core.infra.deadlines import time_limit
from memory_core.memory.namespace_memory import NamespaceMemory
from memory_core.storage.index.local import LocalStore
from memory_core.storage.store import MemoryStore


class Damaged(LocalStore):
    """A store that stays damaged until clear(), which waits for the gate."""

    def __init__(self, folder: Path, gate: threading.Event) -> None:
        self.gate, self.is_sound = gate, True
        super().__init__(folder)
        self.clearings = 0

    def clear(self) -> None:
        self.clearings += 1
        assert self.gate.wait(60)
        super().clear()
        self.is_sound = True

    def positions(self, logs: Collection[str] | None = None) -> Mapping[str, int]:
        if not self.is_sound:
            raise StorageCorrupt("a page is damaged")
        return super().positions(logs)


@pytest.fixture
def gate() -> Iterator[threading.Event]:
    made = threading.Event()
    yield made
    made.set()


@pytest.fixture
def namespace_memory(tmp_path: Path, gate: threading.Event) -> Iterator[NamespaceMemory]:
    made = NamespaceMemory(tmp_path / "Mira", open_store=lambda folder: Damaged(folder, gate))
    made.remember("talk", Exchange(user="My dog is called Biscuit", assistant="Sweet."))
    made.store.is_sound = False
    yield made
    gate.set()
    made.close()


def ask(store: MemoryStore) -> bool:
    return "absent" in store.positions(["absent"])


def test_recall_with_a_time_limit_does_not_wait_for_a_rebuild(
    namespace_memory: NamespaceMemory, gate: threading.Event
) -> None:
    for _ in range(2):
        with time_limit(0.01), pytest.raises(StorageBusy, match="memories of Mira"):
            namespace_memory.query(ask)
    gate.set()
    assert namespace_memory.query(ask) is False
    assert namespace_memory.query(lambda store: store.counts())["live"] == 1
    assert namespace_memory.store.clearings == 1
    (problem,) = namespace_memory.problems.all()
    assert "it was made anew" in problem


def test_recall_without_a_time_limit_rebuilds_the_store(
    namespace_memory: NamespaceMemory, gate: threading.Event
) -> None:
    gate.set()
    assert namespace_memory.query(ask) is False
    assert namespace_memory.store.clearings == 1
