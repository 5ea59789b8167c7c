"""Times become dates of the calendar, wherever they come from; spans include their beginning."""

from datetime import UTC, date, datetime

from memory_core.infra.calendar_time import is_day_within, is_within, to_datetime
from tests.cases import for_each


@for_each("ts", [None, float("nan"), float("inf"), 1e12, -1e12, 1e300])
def test_to_datetime_returns_none_for_an_unknown_or_impossible_time(ts: float | None) -> None:
    assert to_datetime(ts) is None


@for_each("ts", [-86_400.0, 0.0, 1_790_000_000.5])
def test_to_datetime_agrees_with_the_standard_library(ts: float) -> None:
    assert to_datetime(ts, UTC) == datetime.fromtimestamp(ts, UTC)
    local = datetime.fromtimestamp(ts).astimezone()
    assert to_datetime(ts) == local
    assert str(to_datetime(ts)) == str(local)


@for_each(
    ("ts", "since", "until", "expected"),
    [
        (None, None, None, True),
        (None, 1.0, None, False),
        (None, None, 2.0, False),
        (5.0, None, None, True),
        (1.0, 1.0, 2.0, True),
        (2.0, 1.0, 2.0, False),
        (0.5, 1.0, None, False),
        (0.0, 0.0, None, True),
        (0.0, None, 0.0, False),
    ],
)
def test_a_span_of_time_ends_before_its_limit(
    ts: float | None, since: float | None, until: float | None, expected: bool
) -> None:
    assert is_within(ts, since, until) is expected


@for_each(("first", "last", "expected"), [(2, 2, True), (3, None, False), (None, 1, False)])
def test_a_span_of_days_includes_both(first: int | None, last: int | None, expected: bool) -> None:
    limits = (day and date(2026, 5, day) for day in (first, last))
    assert is_day_within(date(2026, 5, 2), *limits) is expected
