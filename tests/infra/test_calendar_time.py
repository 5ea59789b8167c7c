"""Times become dates of the calendar, wherever they come from."""

from datetime import UTC, datetime

from memory_core.infra.calendar_time import to_datetime
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
