"""The diary: one page per day, found by day and by recall."""

from datetime import date, datetime
from pathlib import Path

import pytest

from memory_core.domain.namespaces import Namespace
from memory_core.domain.records import MemoryKind
from memory_core.memory.diary import Diary, day_of_page
from memory_core.memory.long_term_memory import LongTermMemory
from tests.builders import SPACE, asked, derive_all, open_memory

MONDAY, TUESDAY, FRIDAY = date(2026, 9, 14), date(2026, 9, 15), date(2026, 9, 18)


@pytest.fixture
def memory(tmp_path: Path) -> LongTermMemory:
    return open_memory(tmp_path)


def texts(memory: LongTermMemory, **window: date) -> list[str]:
    return [page.text for page in Diary(memory).pages(SPACE, **window)]


def test_second_page_of_a_day_replaces_the_first(memory: LongTermMemory) -> None:
    diary = Diary(memory)
    first = diary.write(SPACE, MONDAY, "We planted tulips.")
    assert diary.write(SPACE, MONDAY, "We planted tulips and slept.") == first
    assert texts(memory) == ["We planted tulips and slept."]


def test_pages_come_by_day_with_the_latest_first(memory: LongTermMemory) -> None:
    diary = Diary(memory)
    for day, text in ((TUESDAY, "Tuesday"), (FRIDAY, "Friday"), (MONDAY, "Monday")):
        diary.write(SPACE, day, text)
    assert texts(memory) == ["Friday", "Tuesday", "Monday"]
    assert texts(memory, since=TUESDAY) == ["Friday", "Tuesday"]
    assert texts(memory, since=TUESDAY, until=TUESDAY) == ["Tuesday"]


def test_diary_page_without_a_day_belongs_to_the_local_day_of_its_time(
    memory: LongTermMemory,
) -> None:
    memory.add_note(SPACE, "We planted tulips.", kind=MemoryKind.DIARY, pinned=False)
    today, diary = datetime.fromtimestamp(memory.now()).date(), Diary(memory)
    (page,) = diary.pages(SPACE, since=today, until=today)
    assert diary.write(SPACE, today, "We slept.") == page.id
    assert texts(memory) == ["We slept."]
    assert diary.remove(SPACE, today)
    assert texts(memory) == []


def test_page_covers_its_local_day(memory: LongTermMemory) -> None:
    Diary(memory).write(SPACE, MONDAY, "We planted tulips.")
    page = Diary(memory).page(SPACE, MONDAY)
    assert page is not None
    assert page.kind is MemoryKind.DIARY
    assert day_of_page(page) == MONDAY
    assert page.derived is not None
    assert page.derived.event_time == (
        datetime(2026, 9, 14).timestamp(),
        datetime(2026, 9, 15).timestamp(),
    )


def test_page_is_recalled_by_its_words(memory: LongTermMemory) -> None:
    Diary(memory).write(SPACE, MONDAY, "We planted tulips behind the house.")
    derive_all(memory)
    found = memory.recall(SPACE, asked("Where did we plant the tulips?"))
    assert [recalled.memory.kind for recalled in found.kept] == [MemoryKind.DIARY]


def test_removed_page_is_gone_and_the_day_can_be_written_again(memory: LongTermMemory) -> None:
    diary = Diary(memory)
    diary.write(SPACE, MONDAY, "We planted tulips.")
    assert diary.remove(SPACE, MONDAY)
    assert not diary.remove(SPACE, MONDAY)
    assert texts(memory) == []
    diary.write(SPACE, MONDAY, "We planted tulips.")
    assert texts(memory) == ["We planted tulips."]


def test_pages_of_two_users_stay_apart(memory: LongTermMemory) -> None:
    diary, other = Diary(memory), Namespace("ben", "mira")
    diary.write(SPACE, MONDAY, "We planted tulips.")
    diary.write(other, MONDAY, "We sailed.")
    assert texts(memory) == ["We planted tulips."]
    assert diary.remove(other, MONDAY)
    assert texts(memory) == ["We planted tulips."]


def test_pages_survive_a_restart(memory: LongTermMemory, tmp_path: Path) -> None:
    Diary(memory).write(SPACE, MONDAY, "We planted tulips.")
    memory.close()
    again = open_memory(tmp_path)
    assert texts(again) == ["We planted tulips."]


def test_empty_page_is_refused(memory: LongTermMemory) -> None:
    with pytest.raises(ValueError, match="text"):
        Diary(memory).write(SPACE, MONDAY, "  ")


def test_day_at_the_end_of_the_calendar_is_refused_in_words(memory: LongTermMemory) -> None:
    with pytest.raises(ValueError, match="9999-12-31: choose another day"):
        Diary(memory).write(SPACE, date.max, "The end.")
    assert Diary(memory).pages(SPACE) == []
