"""Fixtures that more than one folder of tests uses."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import hypothesis
import pytest

from memory_core.bootstrap import build_runtime
from memory_core.long_term_memory import LongTermMemory
from memory_core.runtime import Home, Runtime
from tests import builders
from tests.builders import open_memory

# A loaded machine is no fault of the code, and a newcomer's run must not fail by chance.
hypothesis.settings.register_profile("patient", deadline=None, derandomize=True, database=None)
hypothesis.settings.load_profile("patient")

OpenMemory = Callable[..., LongTermMemory]
MakeRuntime = Callable[..., Runtime]


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


@pytest.fixture
def make_runtime(tmp_path: Path) -> Iterator[MakeRuntime]:
    """Runtimes without threads over one folder, with these settings in their file."""
    made: list[Runtime] = []

    def make(**settings: Any) -> Runtime:
        config = {"embedder": {"kind": "none"}} | settings
        home = Home(folder=tmp_path)
        home.config_path.write_text(json.dumps(config), encoding="utf-8")
        made.append(build_runtime(home))
        return made[-1]

    yield make
    for runtime in made:
        runtime.close()


@pytest.fixture(autouse=True)
def closed_memories() -> Iterator[None]:
    """Closes what a test opened and left."""
    yield
    while builders.OPENED:
        builders.OPENED.pop().close()
