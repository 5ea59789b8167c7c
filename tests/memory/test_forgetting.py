"""Forgetting: at once, with an undo time, and then without a trace."""

from dataclasses import replace

import pytest

from memory_core.memory.long_term_memory import LongTermMemory
from memory_core.recall.query import Query
from memory_core.storage.log.events import EventType
from tests.builders import DAY, KIND, NOW, SPACE, Clock, asked, opened_namespace, recalled, said
from tests.conftest import OpenMemory


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
