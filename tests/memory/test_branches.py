"""One exchange is one memory in all chats that show it: branches, uploads, renames, swipes."""

from dataclasses import replace
from pathlib import Path

import pytest

from memory_core.domain.errors import UnknownMemory
from memory_core.domain.records import Exchange
from memory_core.memory.long_term_memory import LongTermMemory
from memory_core.storage.log.projection import MemoryStatus
from tests.builders import HOUR, NOW, SPACE, Clock, asked, recalled, said, user_sides
from tests.conftest import OpenMemory

DOG, BEES, SEA = (
    said(text, ts=NOW + HOUR * n)
    for n, text in enumerate(["My dog is called Bruno", "I keep bees", "We drive to the sea"])
)
SECRET = "quetzalcoatlus"


def show(memory: LongTermMemory, conversation: str, *chat: Exchange) -> None:
    memory.reconcile(SPACE, conversation, chat, whole=True)


def live(memory: LongTermMemory) -> int:
    return memory.counts(SPACE)["live"]


def talk(memory: LongTermMemory, conversation: str) -> list[str]:
    return user_sides(memory.conversation(SPACE, conversation, 99))


def test_exchange_shared_with_a_branch_is_one_memory_in_two_conversations(
    opened: OpenMemory,
) -> None:
    memory = opened()
    show(memory, "a", DOG, BEES)
    show(memory, "b", DOG, SEA)
    assert live(memory) == 3
    assert talk(memory, "a") == [DOG.user, BEES.user]
    assert talk(memory, "b") == [DOG.user, SEA.user]
    again = opened()
    assert (live(again), talk(again, "b")) == (3, [DOG.user, SEA.user])


def test_shared_memory_is_removed_with_the_last_chat_that_shows_it(opened: OpenMemory) -> None:
    memory = opened()
    show(memory, "a", DOG)
    show(memory, "b", DOG)
    show(memory, "a")
    assert recalled(memory.recall(SPACE, asked("What is my dog called?"))) == [DOG.user]
    show(memory, "b")
    assert recalled(memory.recall(SPACE, asked("What is my dog called?"))) == []


def test_edit_in_one_chat_leaves_its_branch_unchanged(opened: OpenMemory) -> None:
    memory = opened()
    show(memory, "a", DOG, BEES)
    show(memory, "b", DOG, BEES)
    cat = said("My cat is called Bruno", ts=DOG.ts)
    show(memory, "b", cat, BEES)
    assert talk(memory, "a") == [DOG.user, BEES.user]
    assert talk(memory, "b") == [cat.user, BEES.user]
    assert live(memory) == 3
    show(memory, "b", DOG, BEES)
    assert talk(memory, "b") == [DOG.user, BEES.user]
    assert live(memory) == 2


def test_the_same_words_at_another_time_are_another_memory(opened: OpenMemory) -> None:
    memory = opened()
    show(memory, "a", said("Good morning", ts=NOW))
    show(memory, "b", said("Good morning", ts=NOW + HOUR))
    assert live(memory) == 2


@pytest.mark.parametrize("hours", [-9.0, 5.75])
def test_branch_that_the_host_dates_in_another_time_zone_is_the_same_chat(
    opened: OpenMemory, hours: float
) -> None:
    memory = opened()
    show(memory, "a", DOG, BEES, SEA)
    (dog, _, _) = memory.conversation(SPACE, "a", 9)
    memory.forget(SPACE, [dog.id])
    show(memory, "b", *(replace(one, ts=one.ts + hours * HOUR) for one in (DOG, BEES, SEA)))
    assert live(memory) == 2
    assert talk(memory, "b") == [BEES.user, SEA.user]


@pytest.mark.parametrize("moves", [(HOUR, 2 * HOUR), (60.0, 60.0), (24 * HOUR, 24 * HOUR)])
def test_chat_with_the_same_words_at_other_times_has_memories_of_its_own(
    opened: OpenMemory, moves: tuple[float, float]
) -> None:
    memory = opened()
    show(memory, "a", DOG, BEES)
    times = zip((DOG, BEES), moves, strict=True)
    show(memory, "b", *(replace(one, ts=one.ts + later) for one, later in times))
    assert live(memory) == 4


def test_branch_of_an_edited_chat_is_matched_with_the_edited_text_and_time(
    opened: OpenMemory,
) -> None:
    memory = opened()
    show(memory, "a", DOG, BEES)
    (dog, _) = memory.conversation(SPACE, "a", 9)
    cat = said("My cat is called Bruno", ts=NOW + 9 * HOUR)
    show(memory, "a", cat, BEES)
    for again in (memory, opened()):
        show(again, "b", cat, SEA)
        assert (live(again), talk(again, "b")) == (3, [cat.user, SEA.user])
        assert again.get_record(SPACE, dog.id).memory.ts == DOG.ts


def test_exchanges_without_times_are_shared_only_from_the_start_of_a_chat(
    opened: OpenMemory,
) -> None:
    memory = opened()
    undated = [said(exchange.user, ts=None) for exchange in (DOG, BEES, SEA)]
    show(memory, "a", *undated)
    show(memory, "b", *undated[:2])
    assert live(memory) == 3
    show(memory, "c", said("Hello", ts=None), undated[0])
    assert live(memory) == 5


def test_exchange_said_twice_in_one_chat_is_remembered_twice(opened: OpenMemory) -> None:
    memory = opened()
    show(memory, "a", DOG, DOG)
    assert live(memory) == 2
    show(memory, "b", DOG, DOG)
    assert live(memory) == 2


def test_a_swipe_back_brings_the_same_memory_back(opened: OpenMemory) -> None:
    memory = opened()
    show(memory, "a", DOG, BEES)
    (pinned,) = [entry.id for entry in memory.conversation(SPACE, "a", 9) if entry.exchange == BEES]
    memory.pin(SPACE, pinned)
    show(memory, "a", DOG)
    assert memory.get_record(SPACE, pinned).status is MemoryStatus.REMOVED
    show(memory, "a", DOG, BEES)
    back = memory.get_record(SPACE, pinned)
    assert (back.status, back.memory.pinned) == (MemoryStatus.LIVE, True)
    assert live(memory) == 2


def test_forgotten_exchange_stays_forgotten_in_a_branch(opened: OpenMemory) -> None:
    clock = Clock()
    memory = opened(clock=clock)
    show(memory, "a", DOG, BEES)
    (dog,) = [entry.id for entry in memory.conversation(SPACE, "a", 9) if entry.exchange == DOG]
    memory.forget(SPACE, [dog])
    show(memory, "b", DOG, BEES)
    assert talk(memory, "b") == [BEES.user]
    memory.erase_all_forgotten(SPACE)
    show(memory, "c", DOG, BEES)
    assert talk(memory, "c") == [BEES.user]
    with pytest.raises(UnknownMemory):
        memory.unforget(SPACE, dog)


@pytest.mark.parametrize("is_erased", [False, True], ids=["hidden", "erased"])
def test_forgotten_message_stays_forgotten_in_a_branch_with_another_answer(
    opened: OpenMemory, is_erased: bool
) -> None:
    memory = opened()
    show(memory, "a", BEES, DOG)
    (dog,) = [entry.id for entry in memory.conversation(SPACE, "a", 9) if entry.exchange == DOG]
    memory.forget(SPACE, [dog])
    if is_erased:
        memory.erase_all_forgotten(SPACE)
    for answer in ("Good boy!", "Nice."):
        show(memory, "b", BEES, replace(DOG, assistant=answer), SEA)
        assert talk(memory, "b") == [BEES.user, SEA.user]
    memory.rebuild(SPACE)
    assert talk(memory, "b") == [BEES.user, SEA.user]


def test_forgotten_message_that_another_chat_repeats_later_is_remembered(
    opened: OpenMemory,
) -> None:
    memory = opened()
    show(memory, "a", BEES, DOG)
    (dog,) = [entry.id for entry in memory.conversation(SPACE, "a", 9) if entry.exchange == DOG]
    memory.forget(SPACE, [dog])
    again = replace(DOG, assistant="Good boy!", ts=NOW + 9 * HOUR)
    show(memory, "b", BEES, again)
    assert talk(memory, "b") == [BEES.user, again.user]


def test_branch_is_matched_with_a_live_memory_before_a_forgotten_equal(
    opened: OpenMemory,
) -> None:
    memory = opened()
    show(memory, "a", DOG)
    (dog,) = memory.conversation(SPACE, "a", 9)
    show(memory, "b", said(DOG.user, ts=NOW + HOUR))
    memory.forget_exactly(SPACE, [dog.id])
    assert live(memory) == 1
    undated = said(DOG.user, ts=None)
    show(memory, "c", undated)
    assert (talk(memory, "c"), live(memory)) == ([DOG.user], 1)


def test_branch_is_matched_with_what_its_chat_shows_now(
    opened: OpenMemory,
) -> None:
    memory = opened()
    one, two, three = (said(f"u{n}", f"a{n}") for n in range(3))
    show(memory, "a", one, two, three)
    show(memory, "a", three, two)  # one of them is written anew, in another place
    show(memory, "b", three, two)
    assert (live(memory), talk(memory, "b")) == (2, ["u2", "u1"])


def test_erasing_finds_the_words_in_every_chats_log(opened: OpenMemory, tmp_path: Path) -> None:
    memory = opened()
    show(memory, "a", DOG, BEES)
    show(memory, "b", DOG, BEES)
    show(memory, "a")
    changed = said(f"My {SECRET} is called Bruno", ts=DOG.ts)
    show(memory, "b", changed, BEES)
    (it,) = [entry.id for entry in memory.conversation(SPACE, "b", 9) if entry.exchange == changed]
    memory.forget(SPACE, [it])
    memory.erase_all_forgotten(SPACE)
    memory.close()
    held = [path.name for path in tmp_path.rglob("*") if path.is_file() and holds(path)]
    assert held == []


def holds(path: Path) -> bool:
    return SECRET.encode() in path.read_bytes()


def test_new_chat_is_stored_in_one_write(
    opened: OpenMemory, monkeypatch: pytest.MonkeyPatch
) -> None:
    from memory_core.infra import durable_files

    memory = opened()
    show(memory, "a", DOG)
    synced: list[int] = []
    sync = durable_files.sync
    monkeypatch.setattr(durable_files, "sync", lambda fd: (synced.append(fd), sync(fd))[1])
    show(memory, "a", DOG, *(said(f"thing {n}", ts=NOW + n) for n in range(50)))
    assert len(synced) == 1
