"""Spans of time as people and programs write them."""

from datetime import UTC, date, datetime

import pytest

from memory_core.text.time_windows import time_window
from tests.cases import for_each

MIDNIGHT = datetime(2026, 1, 31, tzinfo=UTC).timestamp()
DAY = 86_400.0


def test_day_as_the_end_belongs_to_the_window() -> None:
    assert time_window("2026-01-31", "2026-01-31", 0) == (MIDNIGHT, MIDNIGHT + DAY)
    assert time_window(date(2026, 1, 31), None, 0) == (MIDNIGHT, None)


def test_day_as_the_beginning_starts_at_midnight_of_the_given_offset() -> None:
    assert time_window("2026-01-31", None, 9)[0] == MIDNIGHT - 9 * 3600
    assert time_window("2026-01-31", None, -3.5)[0] == MIDNIGHT + 3.5 * 3600


def test_time_of_day_as_the_end_ends_the_window_at_that_time() -> None:
    assert time_window(None, "2026-01-31T01:00", 0) == (None, MIDNIGHT + 3600)
    assert time_window(None, "2026-01-31T01:00+01:00", 5) == (None, MIDNIGHT)
    assert time_window(0, MIDNIGHT) == (0.0, MIDNIGHT)
    assert time_window("", None) == (None, None)


def test_days_count_in_local_time_by_default() -> None:
    assert time_window("2026-01-31", None)[0] == datetime(2026, 1, 31).timestamp()


@for_each("text", ["yesterday", "2026-13-01", "31.1.2026"])
def test_window_refuses_a_text_that_is_not_a_date_and_names_the_forms(text: str) -> None:
    with pytest.raises(ValueError, match="2026-01-31T18:00"):
        time_window(text, None)


def test_window_refuses_an_impossible_offset() -> None:
    with pytest.raises(ValueError, match="offset"):
        time_window(None, None, 30)


def test_window_that_ends_before_it_begins_is_refused() -> None:
    with pytest.raises(ValueError, match="earlier than until"):
        time_window("2026-02-01", "2026-01-31")
    assert time_window("2026-01-31", "2026-01-31", 0) != (None, None)
