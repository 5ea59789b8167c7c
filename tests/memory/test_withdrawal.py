"""A derived memory goes when its sources change, and comes back with them."""

from collections.abc import Callable
from pathlib import Path

import pytest

from memory_core.domain.derivations import EXTRACTIVE, Derivation
from memory_core.domain.errors import MemoryWithdrawn
from memory_core.domain.records import MemoryKind
from memory_core.memory.derived_memories import DerivedMemories
from memory_core.memory.erasing import erase_import
from memory_core.memory.long_term_memory import LongTermMemory
from memory_core.storage.contract import DerivedFilter
from memory_core.storage.log.projection import MemoryStatus
from tests.builders import (
    SPACE,
    asked,
    derive_all,
    open_memory,
    opened_namespace,
    recalled,
    said,
)
from tests.forensics import leaks, words_needles
from tests.memory.derived_scene import observe, remember

SECRET = "Zyxquorvath"
TOLD = "Umbrastelle"
Change = Callable[[LongTermMemory, str], object]

CHANGES: dict[str, Change] = {
    "forgotten": lambda memory, source: memory.forget(SPACE, [source]),
    "forgotten exactly": lambda memory, source: memory.forget_exactly(SPACE, [source]),
    "memory edited": lambda memory, source: memory.edit(SPACE, source, {"user": "Never mind"}),
    "message edited": lambda memory, _: memory.reconcile(
        SPACE, "talk", [said("Hello"), said("Never mind", "Good.")], whole=True
    ),
    "answer swiped": lambda memory, _: memory.reconcile(
        SPACE, "talk", [said("Hello"), said(f"My doctor is {SECRET}", "Another!")], whole=True
    ),
    "removed from its chat": lambda memory, _: memory.reconcile(
        SPACE, "talk", [said("Hello")], whole=True
    ),
}


def _scene(memory: LongTermMemory) -> tuple[str, str, str]:
    """Stores an exchange, an observation of it and an insight of that; returns their ids."""
    remember(memory, "Hello")
    source = remember(memory, f"My doctor is {SECRET}")
    derived = Derivation(made_by=EXTRACTIVE, subject=TOLD, key=TOLD, value=TOLD)
    made = observe(memory, f"The doctor's name is {TOLD}.", source, derived=derived)
    insight = observe(memory, f"Doctor: {TOLD}.", made, kind=MemoryKind.INSIGHT, derived=derived)
    return source, made, insight


def _live(memory: LongTermMemory) -> list[str]:
    return [found.id for found in DerivedMemories(memory).find(SPACE, DerivedFilter())]


@pytest.mark.parametrize("is_indexed", [True, False])
@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_derived_memories_are_hidden_at_once(
    tmp_path: Path, change: Change, is_indexed: bool
) -> None:
    memory = open_memory(tmp_path)
    source, *made = _scene(memory)
    if is_indexed:
        derive_all(memory)
    assert TOLD in str(recalled(memory.recall(SPACE, asked(TOLD))))
    change(memory, source)
    assert TOLD not in str(recalled(memory.recall(SPACE, asked(f"{TOLD} {SECRET}"))))
    assert _live(memory) == []
    records = memory.get_records(SPACE, made).values()
    assert [entry.status for entry in records] == [MemoryStatus.FORGOTTEN] * 2
    restorable = {entry.memory.id for entry in memory.forgotten(SPACE)}
    assert restorable <= {source}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_words_of_withdrawn_memories_are_erased_everywhere(tmp_path: Path, change: Change) -> None:
    memory = open_memory(tmp_path)
    source, *_ = _scene(memory)
    derive_all(memory)
    change(memory, source)
    memory.erase_all_forgotten(SPACE)
    assert leaks(tmp_path, words_needles((TOLD,))) == []
    before = memory.get_records(SPACE, [source])
    memory.rebuild(SPACE)
    assert memory.get_records(SPACE, [source]) == before
    assert _live(memory) == []


def test_derived_memories_come_back_with_their_sources(tmp_path: Path) -> None:
    memory = open_memory(tmp_path)
    source, made, insight = _scene(memory)
    memory.forget(SPACE, [source])
    with pytest.raises(MemoryWithdrawn, match="restore those"):
        memory.unforget(SPACE, made)
    memory.unforget(SPACE, source)
    assert _live(memory) == [made, insight]


def test_source_and_its_derived_memory_are_restored_in_one_call(tmp_path: Path) -> None:
    memory = open_memory(tmp_path)
    source, made, insight = _scene(memory)
    memory.forget(SPACE, [source])
    assert sorted(memory.unforget(SPACE, made, source)) == sorted([source, made, insight])
    assert _live(memory) == [made, insight]


def test_unforget_of_several_is_refused_if_a_source_of_one_stays_forgotten(
    tmp_path: Path,
) -> None:
    memory = open_memory(tmp_path)
    source, made, _ = _scene(memory)
    other = remember(memory, "My dog is Rex")
    memory.forget(SPACE, [source])
    memory.forget(SPACE, [other])
    with pytest.raises(MemoryWithdrawn):
        memory.unforget(SPACE, other, made)
    assert memory.get_record(SPACE, other).status is MemoryStatus.FORGOTTEN


def test_derived_memory_stays_hidden_while_another_source_is_forgotten(tmp_path: Path) -> None:
    memory = open_memory(tmp_path)
    one, two = remember(memory, "My cat is Bruno"), remember(memory, "My dog is Rex")
    made = observe(memory, "A cat and a dog.", one, two)
    memory.forget(SPACE, [one, two])
    memory.unforget(SPACE, one)
    assert _live(memory) == []
    memory.unforget(SPACE, two)
    assert _live(memory) == [made]


def test_derived_memory_stays_while_another_chat_shows_its_source(tmp_path: Path) -> None:
    memory = open_memory(tmp_path)
    source, made, insight = _scene(memory)
    shown = [said("Hello"), said(f"My doctor is {SECRET}")]
    memory.reconcile(SPACE, "branch", shown, whole=True)
    memory.reconcile(SPACE, "talk", shown[:1], whole=True)
    assert memory.get_record(SPACE, source).status is MemoryStatus.LIVE
    assert _live(memory) == [made, insight]


def test_derived_memory_stays_when_its_chat_is_renamed_or_its_source_is_pinned(
    tmp_path: Path,
) -> None:
    memory = open_memory(tmp_path)
    source, made, insight = _scene(memory)
    memory.pin(SPACE, source)
    memory.move_conversation(SPACE, "talk", "renamed")
    assert _live(memory) == [made, insight]


def test_forgotten_derived_memory_leaves_its_source_alone(tmp_path: Path) -> None:
    memory = open_memory(tmp_path)
    source, made, _ = _scene(memory)
    memory.forget(SPACE, [made])
    assert memory.get_record(SPACE, source).status is MemoryStatus.LIVE
    assert _live(memory) == []
    memory.unforget(SPACE, made)
    assert len(_live(memory)) == 2


def test_undone_import_erases_what_was_made_of_it_at_once(tmp_path: Path) -> None:
    memory = open_memory(tmp_path)
    source, *_ = _scene(memory)
    derive_all(memory)
    erase_import(opened_namespace(memory, SPACE), [source], now=memory.now())
    assert _live(memory) == []
    assert leaks(tmp_path, words_needles((TOLD,))) == []
