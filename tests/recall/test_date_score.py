"""Tests of how near a mentioned period is to the dates that a message names."""

from datetime import datetime
from math import exp, nan
from zoneinfo import ZoneInfo

import numpy as np
import pytest

from memory_core.recall.date_score import DateScore
from memory_core.text.dates.find_dates import find_dates

BERLIN = ZoneInfo("Europe/Berlin")
NOW = datetime(2026, 11, 21, 15, 0, tzinfo=BERLIN)


def moment(*calendar: int) -> tuple[float, float]:
    """Returns a period without length, such as the time of a message."""
    ts = datetime(*calendar, tzinfo=BERLIN).timestamp()  # type: ignore[arg-type]
    return ts, ts


def proximity(text: str, *periods: tuple[float, float]) -> float:
    """Returns the nearness of a passage that mentions these periods to the text's dates."""
    score = DateScore(find_dates(text, NOW), NOW.timestamp())
    table = score.nearness(np.array([nan, nan]), ["other", "asked"], {"asked": periods})
    assert not table[:, 0].any()
    return float(table[1, 1])


def test_proximity_is_one_on_the_day_and_a_decaying_third_beside_it() -> None:
    later, earlier = moment(2024, 3, 21), moment(2024, 2, 19)
    assert proximity("2024-03-05", moment(2024, 3, 5, 12)) == 1
    assert proximity("2024-03-05", later) == pytest.approx(exp(-1) / 3)
    assert proximity("2024-03-05", earlier) == pytest.approx(exp(-1) / 3)


def test_proximity_of_a_period_is_that_of_its_nearer_end() -> None:
    (before, _), (after, _) = moment(2024, 2, 19), moment(2024, 3, 21)
    assert proximity("2024-03-05", (before, after)) == 1
    assert proximity("2024-03-05", (0.0, before)) == pytest.approx(exp(-1) / 3)
    assert proximity("2024-03-05", (after, 2 * after)) == pytest.approx(exp(-1) / 3)


def test_proximity_takes_the_nearest_of_several_dates_and_periods() -> None:
    assert proximity("03/05/2024", moment(2024, 5, 3, 12)) == 1
    assert proximity("2024-03-05", moment(2020, 1, 1), moment(2024, 3, 5, 12)) == 1


def test_proximity_without_a_date_or_a_period_is_zero() -> None:
    assert proximity("no date", moment(2024, 5, 3)) == 0
    assert proximity("2024-03-05") == 0
