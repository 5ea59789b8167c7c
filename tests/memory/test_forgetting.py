"""Forgetting: at once, with an undo time, and then without a trace.

A derived memory goes when its sources change, and comes back with them.
"""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from memory_core.domain.derivations import EXTRACTIVE, Derivation
from memory_core.domain.errors import MemoryWithdrawn
from memory_core.domain.records import MemoryKind
from memory_core.memory.derived_memories import DerivedMemories
from memory_core.memory.erasure import erase_import
from memory_core.memory.long_term_memory import LongTermMemory
from memory_core.recall.query import Query
from memory_core.storage.contract import DerivedFilter
from memory_core.storage.log.events import EventType
from memory_core.storage.log.projection import MemoryStatus
from tests.builders import (
    DAY,
    KIND,
    NOW,
    SPACE,
    Clock,
    asked,
    derive_all,
    open_memory,
    opened_namespace,
    recalled,
    said,
)
from tests.conftest import OpenMemory
from tests.forensics import leaks, words_needles
from tests.memory.derived_scene import observe, remember


def test_forgetting_hides_at_once_and_can_be_undone(memory: LongTermMemory) -> None:
    kept = memory.remember(SPACE, "monday", said("My dog is called Bruno"))
    memory.forget(SPACE, [kept])
    assert recalled(memory.recall(SPACE, asked("my dog"))) == []
    memory.unforget(SPACE, kept)
    assert recalled(memory.recall(SPACE, asked("my dog"))) == ["My dog is called Bruno"]


def test_forgetting_includes_copies_in_other_conversations(memory: LongTermMemory) -> None:
    kept = memory.remember(SPACE, "monday", said("My dog is called Bruno"))
    copy = memory.remember(SPACE, "branch of monday", said("My dog is called Bruno"))
    assert memory.forget(SPACE, [kept]) == [kept, copy]
    assert recalled(memory.recall(SPACE, asked("my dog"))) == []


def test_memories_forgotten_together_are_restored_together(opened: OpenMemory) -> None:
    clock = Clock()
    memory = opened(clock=clock)
    days = [memory.remember(SPACE, f"day {n}", said("Good morning!")) for n in range(4)]
    dog = memory.remember(SPACE, "day 1", said("My dog is called Bruno"))
    memory.forget_exactly(SPACE, days[:1])
    clock.now += 60
    assert set(memory.forget(SPACE, [days[1], dog])) == {*days[1:], dog}
    memory.unforget(SPACE, days[2])
    assert set(memory.last_seqs(SPACE, [*days, dog])) == set(days[1:])
    lines = opened_namespace(memory, SPACE).event_log.read("").events
    assert sorted(line.id for line in lines if line.op is EventType.UNFORGET) == sorted(days[1:])
    assert memory.erase_all_forgotten(SPACE) == 2
    assert set(memory.last_seqs(SPACE, [*days, dog])) == set(days[1:])


def test_edited_memory_is_not_recalled_in_the_chat_that_shows_its_original(
    memory: LongTermMemory,
) -> None:
    shown = said("My dog is called Bruno")
    kept = memory.remember(SPACE, "monday", shown)
    memory.edit(SPACE, kept, {"user": "My dog is called Bruno the Second"})
    query = Query(text="my dog", shown_keys=frozenset({shown.key}))
    assert recalled(memory.recall(SPACE, query)) == []


def test_the_undo_time_ends_in_erasure(opened: OpenMemory) -> None:
    clock = Clock()
    memory = opened(clock=clock)
    gone = memory.remember(SPACE, "monday", said("My dog is called Bruno"))
    memory.forget(SPACE, [gone])
    clock.now += KIND.undo_forget_s - 1
    assert memory.derive_pending(SPACE) == 0
    assert memory.get_record(SPACE, gone).has_text
    clock.now += 2
    assert memory.derive_pending(SPACE) == 1
    assert not memory.get_record(SPACE, gone).has_text


def test_memory_forgotten_by_a_clock_ahead_is_erased_no_later(
    opened: OpenMemory,
) -> None:
    clock = Clock()
    memory = opened(clock=clock)
    gone = memory.remember(SPACE, "monday", said("My dog is called Bruno"))
    late = memory.remember(SPACE, "monday", said("She barks"))
    clock.now += 300 * DAY
    memory.forget(SPACE, [gone])
    clock.now -= 300 * DAY
    memory.forget(SPACE, [late])
    assert memory.derive_pending(SPACE) == 1
    assert not memory.get_record(SPACE, gone).has_text
    assert memory.get_record(SPACE, late).has_text


def test_an_edited_memory_is_recalled_by_its_new_words(memory: LongTermMemory) -> None:
    kept = memory.remember(SPACE, "monday", said("My dog is called Bruno"))
    memory.edit(SPACE, kept, {"user": "My cat is called Minka"})
    assert recalled(memory.recall(SPACE, asked("cat"))) == ["My cat is called Minka"]
    assert not memory.reconcile(SPACE, "monday", [said("My dog is called Bruno")], whole=True)


@pytest.mark.parametrize("is_erased", [False, True], ids=["hidden", "erased"])
def test_forgotten_exchange_stays_forgotten_when_its_answer_is_regenerated(
    opened: OpenMemory, is_erased: bool
) -> None:
    memory = opened()
    hello, dog = said("Hello"), said("My dog is called Bruno", "Good boy.")
    memory.reconcile(SPACE, "monday", [hello, dog], whole=True)
    (kept,) = [one.id for one in memory.conversation(SPACE, "monday", 9) if one.exchange == dog]
    memory.forget(SPACE, [kept])
    if is_erased:
        memory.erase_all_forgotten(SPACE)
    for answer in ("Good boy. He sounds sweet.", "Nice!"):
        assert not memory.reconcile(
            SPACE, "monday", [hello, replace(dog, assistant=answer)], whole=True
        )
    memory.rebuild(SPACE)
    shown = [hello, replace(dog, assistant="Oh!")]
    assert not memory.reconcile(SPACE, "monday", shown, whole=True)
    assert recalled(memory.recall(SPACE, asked("my dog"))) == []


def test_one_of_two_equal_forgotten_exchanges_stays_forgotten_when_it_is_regenerated(
    memory: LongTermMemory,
) -> None:
    dog = said("My dog is called Bruno", "Good boy.")
    memory.reconcile(SPACE, "monday", [dog, said("Hello"), dog], whole=True)
    kept = [one.id for one in memory.conversation(SPACE, "monday", 9) if one.exchange == dog]
    memory.forget(SPACE, kept)
    shown = [dog, said("Hello"), replace(dog, assistant="Nice!")]
    assert not memory.reconcile(SPACE, "monday", shown, whole=True)


def test_restored_exchange_has_the_regenerated_answer_of_its_chat(memory: LongTermMemory) -> None:
    dog = said("My dog is called Bruno", "Good boy.")
    memory.reconcile(SPACE, "monday", [dog], whole=True)
    (kept,) = [one.id for one in memory.conversation(SPACE, "monday", 9)]
    memory.forget(SPACE, [kept])
    shown = replace(dog, assistant="Nice!")
    memory.reconcile(SPACE, "monday", [shown], whole=True)
    memory.unforget(SPACE, kept)
    memory.reconcile(SPACE, "monday", [shown], whole=True)
    (found,) = memory.conversation(SPACE, "monday", 9)
    assert (found.id, found.exchange) == (kept, shown)


def test_message_sent_again_after_it_was_forgotten_is_remembered(memory: LongTermMemory) -> None:
    dog = said("My dog is called Bruno", "Good boy.")
    memory.reconcile(SPACE, "monday", [dog], whole=True)
    memory.forget(SPACE, [one.id for one in memory.conversation(SPACE, "monday", 9)])
    again = replace(dog, assistant="Nice!", ts=NOW + DAY)
    memory.reconcile(SPACE, "monday", [again], whole=True)
    assert [one.exchange for one in memory.conversation(SPACE, "monday", 9)] == [again]


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
