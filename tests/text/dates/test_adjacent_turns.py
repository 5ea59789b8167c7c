"""Times without a year, month or week: their occurrences before and after now."""

from datetime import UTC, datetime

import pytest

from memory_core.text.dates.find_dates import find_dates, with_adjacent_turns, with_other_readings
from tests.cases import for_each

NOW = datetime(2026, 11, 8, 20, 0, tzinfo=UTC)  # a Sunday

TURNS = [
    ("is anything happening on the 18th", {"2026-10-18", "2026-11-18"}),
    ("hab ich am 18. was", {"2026-10-18", "2026-11-18"}),
    ("¿qué hay el 18?", {"2026-10-18", "2026-11-18"}),
    ("il se passe quoi le 18 ?", {"2026-10-18", "2026-11-18"}),
    ("что у меня 18го", {"2026-10-18", "2026-11-18"}),
    ("18号有什么安排", {"2026-10-18", "2026-11-18"}),
    ("what's on Friday", {"2026-11-06", "2026-11-13"}),
    ("irgendwas am Freitag?", {"2026-11-06", "2026-11-13"}),
    ("anything on Sunday", {"2026-11-01", "2026-11-15"}),
    ("on the 31st", {"2026-10-31"}),
    ("la fête du douze septembre", {"2026-09-12", "2027-09-12"}),
    ("третьего ноября", {"2026-11-03", "2027-11-03"}),
]
COMPLETE = ["last Friday", "next Friday", "yesterday", "am letzten Freitag", "on 18 October 2026"]
NO_DAYS = ["am 2. Tag", "zum 3. Mal", "le 18 rue de Paris", "am 3.5 Grad", "it weighs 18"]


@pytest.mark.parametrize(("text", "days"), TURNS)
def test_incomplete_time_means_its_occurrences_on_both_sides_of_now(
    text: str, days: set[str]
) -> None:
    found = with_adjacent_turns(find_dates(text, NOW), NOW)
    assert {f"{named.start:%Y-%m-%d}" for named in found} == days


@pytest.mark.parametrize("text", COMPLETE)
def test_complete_time_has_no_other_occurrence(text: str) -> None:
    found = find_dates(text, NOW)
    assert found
    assert with_adjacent_turns(found, NOW) == found


@for_each("text", NO_DAYS)
def test_number_that_counts_something_else_is_not_a_day_of_the_month(text: str) -> None:
    assert find_dates(text, NOW) == ()


def test_day_of_a_clause_with_a_tense_has_one_reading() -> None:
    found = find_dates("we met on the 18th", NOW)
    assert found
    assert with_other_readings(found, NOW) == found


@pytest.mark.parametrize("text", ["dentist friday 9:30", "血液検査24日の朝"])
def test_day_without_a_tense_may_be_past_or_future(text: str) -> None:
    found = with_other_readings(find_dates(text, NOW), NOW)
    assert sorted(named.start < NOW for named in found) == [False, True]
