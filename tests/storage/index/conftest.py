"""Runs every contract test over both stores; the local one gets a folder."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from memory_core.storage.index.in_memory import InMemoryStore
from memory_core.storage.index.local import LocalStore
from memory_core.storage.store import MemoryStore
from tests.builders import HOUR, NOW, added, said
from tests.storage.index.scene import TALK, MakeStore


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "index"


@pytest.fixture(params=["local", "in memory"])
def make_store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[MakeStore]:
    made: list[MemoryStore] = []

    def make() -> MemoryStore:
        folder = tmp_path / str(len(made))
        made.append(LocalStore(folder) if request.param == "local" else InMemoryStore())
        return made[-1]

    yield make
    for store in made:
        store.close()


@pytest.fixture
def store(make_store: MakeStore) -> MemoryStore:
    """Five exchanges: id1 … id5, seq 1 … 5, an hour apart, the first an hour after NOW."""
    filled = make_store()
    lines = [
        added(n, f"id{n}", said(text, ts=NOW + HOUR * n)) for n, text in enumerate(TALK, start=1)
    ]
    filled.apply(lines, {"talk": 500})
    return filled
