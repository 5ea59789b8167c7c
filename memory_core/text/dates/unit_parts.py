"""The beginning, middle and end of a week, month or year: "Ende des Monats", 月底; and weekends."""

import re
from calendar import monthrange
from collections.abc import Callable, Iterable, Mapping
from datetime import date, timedelta
from enum import Enum, auto
from typing import NamedTuple

from .calendar import (
    Cycle,
    Occurrence,
    Period,
    ReferenceTime,
    add_months,
    days,
    monthly_period,
    months,
    nearest_in_tense,
    week,
    weekend,
    weekly,
    yearly,
)
from .rule_engine import Interpretation, repeating_period, single_period


class Part(Enum):
    """About a third. Neighbours overlap, as people do not count the days."""

    BEGINNING = auto()
    MIDDLE = auto()
    END = auto()


class UnitPart(NamedTuple):
    """`away` counts units from the present one. Without it, the tense decides."""

    unit: str
    part: Part
    away: int | None = None


_DAYS_OF_WEEK = {Part.BEGINNING: (0, 3), Part.MIDDLE: (1, 3), Part.END: (3, 4)}
_DAYS_OF_MONTH = {Part.BEGINNING: (1, 11), Part.MIDDLE: (10, 21)}  # first and last
_END_OF_MONTH = 20
_MONTHS_OF_YEAR = {Part.BEGINNING: (1, 2), Part.MIDDLE: (5, 4), Part.END: (11, 2)}
_CYCLES = {"week": Cycle.WEEK, "month": Cycle.MONTH, "year": Cycle.YEAR}


def read_unit_part(
    named: UnitPart, moment: ReferenceTime, year: str | None = None
) -> Interpretation:
    """Interprets a part. `year` may follow it: "at the end of the year 2024"."""
    return _read_part(named, moment, year)._replace(is_end=named.part is Part.END)


def _read_part(named: UnitPart, moment: ReferenceTime, year: str | None) -> Interpretation:
    unit, part, away = named
    if year and unit == "year":
        return single_period(_of_year(part)(int(year)), explicit=True)
    if away is not None:
        return single_period(_away(unit, part, moment.today, away))
    period = nearest_in_tense(moment, lambda which: _occurrence(unit, part, moment, which))
    return repeating_period(period, _CYCLES[unit])


def read_weekend(match: re.Match[str], moment: ReferenceTime) -> Interpretation:
    """Interprets "am Wochenende" by its tense."""
    period = nearest_in_tense(moment, lambda which: weekly(moment, which, weekend))
    return repeating_period(period, Cycle.WEEK)


def named_parts(
    units: Mapping[tuple[str, int | None], str], phrases: Mapping[Part, Iterable[str]]
) -> dict[str, UnitPart]:
    """Returns the part of each phrase, which has {} in the place of a unit with its number away."""
    return {
        phrase.format(name): UnitPart(unit, part, away)
        for (unit, away), names in units.items()
        for name in names.split()
        for part, of_part in phrases.items()
        for phrase in of_part
    }


def _away(unit: str, part: Part, today: date, away: int) -> Period:
    match unit:
        case "week":
            return _of_week(part)(today + timedelta(weeks=away))
        case "month":
            return _of_month(part)(add_months(today.replace(day=1), away))
    return _of_year(part)(today.year + away)


def _occurrence(unit: str, part: Part, moment: ReferenceTime, which: Occurrence) -> Period:
    match unit:
        case "week":
            return weekly(moment, which, _of_week(part))
        case "month":
            return monthly_period(moment, which, _of_month(part))
    return yearly(moment, which, _of_year(part))


def _of_week(part: Part) -> Callable[[date], Period]:
    first, number = _DAYS_OF_WEEK[part]
    return lambda day: days(week(day).start.date() + timedelta(days=first), number)


def _of_month(part: Part) -> Callable[[date], Period]:
    def of(day: date) -> Period:
        last_day = monthrange(day.year, day.month)[1]
        first, last = _DAYS_OF_MONTH.get(part, (_END_OF_MONTH, last_day))
        return days(day.replace(day=first), last - first + 1)

    return of


def _of_year(part: Part) -> Callable[[int], Period]:
    first, number = _MONTHS_OF_YEAR[part]
    return lambda year: months(year, first, number)
