"""Fixtures that more than one folder of tests uses."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import hypothesis
import pytest

from memory_core.long_term_memory import LongTermMemory
from tests import builders
from tests.builders import open_memory

# A loaded machine is no fault of the code.
hypothesis.settings.register_profile("patient", deadline=None)
hypothesis.settings.load_profile("patient")

OpenMemory = Callable[..., LongTermMemory]


@pytest.fixture
def opened(tmp_path: Path) -> Iterator[OpenMemory]:
    """Opens memories over one folder; what is still open at the end is closed."""
    memories: list[LongTermMemory] = []

    def open_one(**options: Any) -> LongTermMemory:
        memories.append(open_memory(tmp_path, **options))
        return memories[-1]

    yield open_one
    for memory in memories:
        memory.close()


@pytest.fixture
def memory(opened: OpenMemory) -> LongTermMemory:
    return opened()


@pytest.fixture(autouse=True)
def closed_memories() -> Iterator[None]:
    """Closes what a test opened and left."""
    yield
    while builders.OPENED:
        builders.OPENED.pop().close()
