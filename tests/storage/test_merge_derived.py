"""Merged derived memories keep their validity, and never come without their sources."""

from pathlib import Path

import pytest

from memory_core.admin.exporters.restore import RestoreMode, restore
from memory_core.domain.derivations import EXTRACTIVE, Derivation
from memory_core.domain.records import MemoryKind
from memory_core.memory.derived_memories import DerivedMemories
from memory_core.memory.long_term_memory import LongTermMemory
from memory_core.storage.contract import DerivedFilter
from tests.admin.exporters.scene import exported, seen
from tests.builders import SPACE, asked, merge, open_memory, recalled, said
from tests.memory.derived_scene import observe, remember


@pytest.fixture
def other(tmp_path: Path) -> LongTermMemory:
    return open_memory(tmp_path / "other")


def _texts(memory: LongTermMemory) -> list[str]:
    found = DerivedMemories(memory).find(SPACE, DerivedFilter())
    return sorted(memory.text for memory in found)


def _fill(memory: LongTermMemory) -> tuple[str, str]:
    """Stores an exchange with a superseded observation, and an insight; returns two sources."""
    source, other = remember(memory, "I live in Porto"), remember(memory, "Now in Lisbon")
    derived = Derivation(made_by=EXTRACTIVE, subject="Ana", key="home", value="Porto")
    old = observe(memory, "Ana lives in Porto.", source, derived=derived)
    new = observe(memory, "Ana lives in Lisbon.", other)
    observe(memory, "Ana moves a lot.", old, new, kind=MemoryKind.INSIGHT)
    DerivedMemories(memory).supersede(SPACE, old, new)
    return source, other


def test_restored_namespace_has_all_of_its_derived_memories(
    memory: LongTermMemory, other: LongTermMemory, tmp_path: Path
) -> None:
    _fill(memory)
    restore(other, exported(memory, tmp_path / "ana.zip"))
    assert seen(other) == seen(memory)
    assert len(_texts(other)) == 3


def test_merging_twice_adds_derived_memories_once(
    memory: LongTermMemory, other: LongTermMemory, tmp_path: Path
) -> None:
    _fill(memory)
    other.remember(SPACE, "monday", said("I was here before"))
    path = exported(memory, tmp_path / "ana.zip")
    for _ in range(2):
        restore(other, path, mode=RestoreMode.MERGE)
        assert _texts(other) == _texts(memory)
    question = asked("Where do I live, in Porto?")
    assert "Ana lives in Porto." not in recalled(other.recall(SPACE, question))


def test_merge_leaves_out_memories_derived_from_a_forgotten_one(
    memory: LongTermMemory, tmp_path: Path
) -> None:
    source, _ = _fill(memory)
    path = exported(memory, tmp_path / "ana.zip")
    memory.forget(SPACE, [source])
    memory.erase_all_forgotten(SPACE)
    restore(memory, path, mode=RestoreMode.MERGE)
    assert _texts(memory) == ["Ana lives in Lisbon."]


def test_merge_leaves_out_memories_derived_from_an_exchange_with_another_id_here(
    memory: LongTermMemory, other: LongTermMemory, tmp_path: Path
) -> None:
    source, _ = _fill(memory)
    chat = memory.get_record(SPACE, source).memory.exchange
    assert chat is not None
    other.remember(SPACE, "talk", chat)
    restore(other, exported(memory, tmp_path / "ana.zip"), mode=RestoreMode.MERGE)
    assert _texts(other) == ["Ana lives in Lisbon."]


def test_merged_characters_keep_derived_memories_with_their_sources(
    memory: LongTermMemory,
) -> None:
    alias = type(SPACE)(SPACE.user, "mira2")
    _fill(memory)
    memory.remember(alias, "talk", said("Hello"))
    merge(memory, alias, SPACE)
    assert len(_texts(memory)) == 3
