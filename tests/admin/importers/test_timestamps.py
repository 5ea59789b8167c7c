"""Dates in the formats of other programs, and invalid ones."""

from datetime import UTC, datetime, timedelta, timezone

import pytest

from memory_core.admin.importers.timestamps import parse_timestamp
from tests.cases import for_each

AT = datetime(2024, 7, 12, 1, 31, 37, tzinfo=UTC).timestamp()
LOCAL = datetime(2024, 7, 12, 1, 31, 37).timestamp()
MIDNIGHT = datetime(2024, 7, 12).timestamp()
MINUTE = datetime(2024, 7, 12, 13, 31).timestamp()


@for_each("value", [AT, AT * 1e3, AT * 1e6, AT * 1e9, int(AT), str(int(AT * 1000))])
def test_parse_timestamp_takes_the_unit_from_a_numbers_size(value: object) -> None:
    assert parse_timestamp(value) == pytest.approx(AT, abs=1e-3)


@for_each(
    ("text", "moment"),
    [
        ("2024-07-12T01:31:37Z", AT),
        ("2024-07-12T01:31:37.000000+00:00", AT),
        ("2024-07-11T18:31:37-07:00", AT),
        ("2024-07-12 01:31:37", LOCAL),
        ("2024-7-12@01h31m37s", LOCAL),
        ("2024-7-12@01h31m37s500ms", LOCAL + 0.5),
        ("2024-7-12 @01h 31m 37s 500ms", LOCAL + 0.5),
        ("July 12, 2024 1:31pm", MINUTE),
        ("Jul 12, 2024 01:31 PM", MINUTE),
        ("Jul 12, 2024 13:31", MINUTE),
        ("12.07.2024 13:31", MINUTE),
        ("12.7.2024, 01:31:37", LOCAL),
        ("2024/7/12 13:31", MINUTE),
        ("2024/07/12 01:31:37", LOCAL),
        ("12.07.2024", MIDNIGHT),
        ("2024/7/12", MIDNIGHT),
        ("2024-7-12", MIDNIGHT),
    ],
)
def test_parse_timestamp_reads_texts(text: str, moment: float) -> None:
    assert parse_timestamp(text) == pytest.approx(moment)


@for_each(("hour", "real"), [("12:05am", 0), ("12:05pm", 12), ("1:05am", 1)])
def test_noon_and_midnight_are_distinguished(hour: str, real: int) -> None:
    assert parse_timestamp(f"June 1, 2024 {hour}") == datetime(2024, 6, 1, real, 5).timestamp()


@pytest.mark.usefixtures("in_tokyo")
def test_a_date_without_a_zone_is_local() -> None:
    assert parse_timestamp("2024-07-12 10:31:37") == AT
    assert parse_timestamp("July 12, 2024 10:31am") == AT - 37


def test_a_date_without_a_zone_takes_the_one_given() -> None:
    zone = timezone(timedelta(hours=9))
    assert parse_timestamp("2024-07-12 01:31:37", zone=zone) == AT - 9 * 3600
    assert parse_timestamp("2024-07-12T01:31:37Z", zone=zone) == AT


NUMBERS = [True, float("nan"), float("inf"), -1, -1.7e12, 0, 10**400, "NaN", "-5", "9" * 30]
TEXTS = ["", "soon", "2024-13-45T99:99:99", "Foo 1, 2024 1:00pm", "June 31, 2024 1:00pm", "x" * 999]
TEXTS += ["31.06.2024", "07/12/2024", "1.2.3", "2024/13/1", "12.07.2024 25:00"]
OUTSIDE = ["0001-01-01T00:00:00", "9999-12-31T23:59:59-12:00"]


@for_each("value", [None, [], {}, *NUMBERS, *TEXTS, *OUTSIDE])
def test_parse_timestamp_returns_none_for_invalid_dates(value: object) -> None:
    assert parse_timestamp(value) is None
