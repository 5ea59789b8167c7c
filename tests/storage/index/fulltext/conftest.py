"""A store that compacts early, and an oracle that never does."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from memory_core.storage.index.local import LocalStore
from tests.storage.index.fulltext.fruit import lines, reopened
from tests.storage.index.in_memory.store import InMemoryStore


@pytest.fixture
def store(folder: Path) -> Iterator[LocalStore]:
    made = reopened(folder)
    made.apply(lines(12), {})
    yield made
    made.close()


@pytest.fixture
def oracle() -> InMemoryStore:
    made = InMemoryStore()
    made.apply(lines(12), {})
    return made
