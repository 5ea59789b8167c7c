"""Tests of the system lines: they stay the same until one of their sources changes."""

from pathlib import Path

import pytest

from memory_core.domain.records import MemoryKind
from memory_core.memory.long_term_memory import LongTermMemory
from memory_core.prompt.system_lines import SystemLineCache
from memory_core.prompt.templates import date_in_digits
from memory_core.storage.contract import Page
from tests.builders import DAY, HOUR, NOW, SPACE, open_memory, said

BEGAN = NOW + 3 * DAY


@pytest.fixture
def filled(memory: LongTermMemory) -> LongTermMemory:
    """Has three sessions on three days, a pinned note, and the start of this conversation."""
    days = ["My dog Bruno is ill", "I bought forty apple trees", "The bees are back"]
    for n, text in enumerate(days):
        memory.remember(SPACE, f"day{n}", said(f"{text} today.", ts=NOW + n * DAY))
    memory.add_note(SPACE, "Ana must not\neat nuts", kind=MemoryKind.DIARY, pinned=True)
    memory.remember(SPACE, "now", said("Good evening to my own chat.", ts=BEGAN - HOUR))
    return memory


@pytest.fixture
def cache(filled: LongTermMemory) -> SystemLineCache:
    return SystemLineCache(filled, sessions=2, pause_s=4 * HOUR)


def lines(cache: SystemLineCache, conversation: str = "now") -> list[str]:
    return [line.text for line in cache.lines(SPACE, conversation, began=BEGAN)]


PINNED = "Ana must not eat nuts"
TREES = "(2026-09-22) Ana: I bought forty apple trees today."
BEES = "(2026-09-23) Ana: The bees are back today."


def test_system_lines_are_pinned_memories_and_sessions_oldest_first(
    cache: SystemLineCache,
) -> None:
    assert lines(cache) == [PINNED, TREES, BEES]


def test_note_that_was_added_twice_is_one_line(
    filled: LongTermMemory, cache: SystemLineCache
) -> None:
    assert lines(cache)[0] == PINNED
    copy = filled.add_note(SPACE, "ana must not eat nuts", kind=MemoryKind.KNOWLEDGE, pinned=False)
    assert lines(cache) == ["ana must not eat nuts", TREES, BEES]
    filled.remember(SPACE, "day3", said("The bees sleep today.", ts=BEGAN - DAY / 2))
    assert lines(cache) == ["ana must not eat nuts", TREES, BEES], "the choice is kept"
    filled.forget_exactly(SPACE, [copy])
    assert lines(cache)[0] == PINNED


@pytest.mark.parametrize(
    ("text", "is_dated"),
    [
        ("Dentist next Thursday", True),
        ("el jueves que viene tengo turno", True),
        ("周五去看牙", True),
        ("I moved here two years ago", True),
        ("My wifi is Falcon89", True),
        ("我的储物柜是41号", True),
        ("My birthday is on 3 May", False),
        ("The exam is on 24 December 2026", False),
        ("I swim in the mornings", False),
    ],
)
def test_note_that_may_cease_to_hold_tells_when_it_was_made(
    filled: LongTermMemory, cache: SystemLineCache, text: str, is_dated: bool
) -> None:
    made = filled.add_note(SPACE, text, kind=MemoryKind.KNOWLEDGE, pinned=True)
    day = date_in_digits(filled.get_record(SPACE, made).memory.ts)
    shown = next(line for line in lines(cache) if line.endswith(text))
    assert shown == (f"({day}) {text}" if is_dated else text)


def test_system_lines_leave_out_the_current_conversation(cache: SystemLineCache) -> None:
    assert lines(cache, "day2") == [
        PINNED, TREES, "(2026-09-24) Ana: Good evening to my own chat.",
    ]  # fmt: skip


def test_every_system_line_names_its_sources(
    filled: LongTermMemory, cache: SystemLineCache
) -> None:
    (trees,) = filled.conversation(SPACE, "day1", 1)
    assert cache.lines(SPACE, "now", began=BEGAN)[1].sources == (trees.id,)


def test_cached_system_lines_ignore_later_messages_and_other_chats(
    filled: LongTermMemory, cache: SystemLineCache
) -> None:
    before = lines(cache)
    filled.remember(SPACE, "now", said("My cat is called Minka", ts=BEGAN + 5))
    filled.remember(SPACE, "elsewhere", said("I have sold the trees", ts=BEGAN - DAY / 2))
    assert lines(cache) == before


def test_system_lines_follow_an_edited_source(
    filled: LongTermMemory, cache: SystemLineCache
) -> None:
    lines(cache)
    edited = said("I bought fifty apple trees today.", ts=NOW + DAY)
    filled.reconcile(SPACE, "day1", [edited], whole=True)
    assert lines(cache)[1] == TREES.replace("forty", "fifty")


def test_system_lines_replace_a_forgotten_source(
    filled: LongTermMemory, cache: SystemLineCache
) -> None:
    lines(cache)
    filled.forget(SPACE, [memory.id for memory in filled.conversation(SPACE, "day1", 1)])
    assert lines(cache) == [PINNED, "(2026-09-21) Ana: My dog Bruno is ill today.", BEES]


def test_system_lines_follow_pinning_and_unpinning(
    filled: LongTermMemory, cache: SystemLineCache
) -> None:
    lines(cache)
    (dog,) = filled.conversation(SPACE, "day0", 1)
    filled.pin(SPACE, dog.id)
    assert "(2026-09-21) Ana: My dog Bruno is ill today. Mira: I see." in lines(cache)
    for memory in filled.always_in_prompt(SPACE):
        filled.unpin(SPACE, memory.id)
    assert lines(cache) == [TREES, BEES]


def test_short_messages_are_not_summarised(filled: LongTermMemory) -> None:
    filled.remember(SPACE, "day2", said("Six", "Bees swarm in May.", ts=NOW + 2 * DAY))
    cache = SystemLineCache(filled, sessions=3, pause_s=HOUR, min_letters=27)
    assert lines(cache) == [PINNED, TREES]


def test_messages_for_the_next_session_are_not_summarised_yet(tmp_path: Path) -> None:
    first = open_memory(tmp_path)
    first.remember(SPACE, "day0", said("My dog Bruno is ill today.", ts=NOW))
    first.close()
    memory = open_memory(tmp_path)
    memory.latest(SPACE, Page(limit=1))
    memory.remember(SPACE, "day1", said("I bought forty apple trees today.", ts=NOW + DAY))
    cache = SystemLineCache(memory, sessions=2, pause_s=HOUR, next_session_only=True)
    dog = "(2026-09-21) Ana: My dog Bruno is ill today."
    assert lines(cache) == [dog]
    memory.force_reload(SPACE)
    assert lines(cache, "another") == [dog, TREES]


def test_session_summary_repeats_no_pinned_memory_or_other_session(
    filled: LongTermMemory,
) -> None:
    (trees,) = filled.conversation(SPACE, "day1", 1)
    filled.pin(SPACE, trees.id)
    again = "My dog Bruno is ill today. So I bought my forty apple trees today. It is windy now."
    filled.remember(SPACE, "day1", said(again, ts=NOW + DAY + 60))
    found = lines(SystemLineCache(filled, sessions=3, pause_s=HOUR))
    assert sum(line.count("apple trees") for line in found) == 1
    assert sum(line.count("Bruno") for line in found) == 1
    assert "(2026-09-22) Ana: It is windy now." in found


def test_system_lines_without_sessions_are_the_pinned_memories(filled: LongTermMemory) -> None:
    assert lines(SystemLineCache(filled, sessions=0, pause_s=HOUR)) == [PINNED]


def test_session_without_news_is_replaced_by_an_earlier_one(
    filled: LongTermMemory,
) -> None:
    again = said("The bees are back today.", ts=NOW + 2 * DAY + 60)
    filled.remember(SPACE, "copy", again)
    assert lines(SystemLineCache(filled, sessions=2, pause_s=HOUR)) == [PINNED, TREES, BEES]


def test_session_summaries_prefer_statements_to_questions(
    filled: LongTermMemory,
) -> None:
    talk = (
        "Where did I put my keys? I moved to Lisbon with my dog. Do you like the dog and the keys?"
    )
    filled.remember(SPACE, "day2", said(talk, ts=NOW + 2 * DAY + 60))
    found = lines(SystemLineCache(filled, sessions=1, pause_s=HOUR))
    assert found[1:] == [
        "(2026-09-23) Ana: The bees are back today. … I moved to Lisbon with my dog."
    ]


def test_session_of_mere_questions_gives_way_to_an_earlier_one_that_tells_something(
    filled: LongTermMemory,
) -> None:
    filled.remember(SPACE, "ask", said("What is the name of my dog?", ts=NOW + 2 * DAY + HOUR))
    filled.remember(SPACE, "thank", said("ok thanks", ts=NOW + 2 * DAY + 2 * HOUR))
    assert lines(SystemLineCache(filled, sessions=2, pause_s=HOUR)) == [PINNED, TREES, BEES]


def test_session_of_mere_questions_fills_what_no_other_session_fills(
    filled: LongTermMemory,
) -> None:
    filled.remember(SPACE, "ask", said("How do bees sleep?", ts=NOW + 2 * DAY + HOUR))
    found = lines(SystemLineCache(filled, sessions=4, pause_s=HOUR))
    assert found[-2:] == [BEES, "(2026-09-23) Ana asked: “How do bees sleep?”"]
