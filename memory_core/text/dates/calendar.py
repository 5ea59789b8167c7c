"""Periods of the local calendar, and the choice between occurrences of a recurring one.

Periods are naive, in the speaker's wall-clock time. Impossible dates raise ValueError or
OverflowError, as in the standard library.
"""

from calendar import monthrange
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from enum import Enum, auto
from math import floor
from typing import NamedTuple

# Years outside this range are arithmetic or fiction, not somebody's life.
FIRST_YEAR, LAST_YEAR = 1900, 2100
_MAX_REPETITIONS = 9  # a leap day may be eight years away
_SOON = timedelta(days=60)
_SEASON_MONTHS = {"spring": 3, "summer": 6, "autumn": 9, "winter": 12}  # northern, by whole months
_SMALLER = {"year": 1 / 12, "month": 1 / 4, "week": 2 / 7}
_PARTS = {"morning": (0, 12), "afternoon": (12, 18), "evening": (18, 24), "night": (18, 30)}


class Period(NamedTuple):
    """A half-open period of time."""

    start: datetime
    end: datetime


class Tense(Enum):
    PAST = auto()
    UNKNOWN = auto()
    FUTURE = auto()


class Cycle(Enum):
    """The period of which an incomplete date names a part."""

    WEEK = auto()
    MONTH = auto()
    YEAR = auto()


class Occurrence(Enum):
    """A choice between the occurrences of a recurring period."""

    RECENT = auto()  # the latest that has begun
    LAST = auto()  # the latest that is over
    COMING = auto()  # the first that is not over
    NEXT = auto()  # the first that has not begun
    LIKELY = auto()  # of yearly ones the coming one if that is soon, else the recent one


_DEFAULT_OCCURRENCE = {
    Tense.PAST: Occurrence.RECENT,
    Tense.UNKNOWN: Occurrence.LIKELY,
    Tense.FUTURE: Occurrence.COMING,
}


@dataclass(frozen=True, slots=True)
class ReferenceTime:
    """The time of a message (aware, local), and a function for the tense around a date in it."""

    now: datetime
    tense: Callable[[], Tense]

    @property
    def today(self) -> date:
        return self.now.date()

    @property
    def is_future(self) -> bool:
        return self.tense() is Tense.FUTURE

    @property
    def default_occurrence(self) -> Occurrence:
        """Returns the occurrence that a name alone means, without "last" or "next"."""
        return _DEFAULT_OCCURRENCE[self.tense()]


def days(first: date, number: int = 1) -> Period:
    start = datetime.combine(first, time())
    return _checked(Period(start, start + timedelta(days=number)))


def part_of_day(day: date, part: str) -> Period:
    """Returns a morning, afternoon, evening or night. A night ends at six the day after."""
    start = datetime.combine(day, time())
    first, last = (timedelta(hours=hour) for hour in _PARTS[part])
    return _checked(Period(start + first, start + last))


def week(day: date) -> Period:
    """Returns the week of a day, Monday to Sunday."""
    return days(day - timedelta(days=day.weekday()), 7)


def weekend(day: date) -> Period:
    return days(day + timedelta(days=5 - day.weekday()), 2)


def months(year: int, month: int, number: int = 1) -> Period:
    first = date(year, month, 1)
    return _checked(Period(days(first).start, days(add_months(first, number)).start))


def year(number: int) -> Period:
    return months(number, 1, 12)


def season(year: int, name: str) -> Period:
    """Returns a season. A winter belongs to the year in which it begins."""
    return months(year, _SEASON_MONTHS[name], 3)


def add_months(day: date, months: int) -> date:
    """Returns the day some months later, or the last day of that month if it is shorter."""
    index = day.year * 12 + day.month - 1 + months
    year, month = divmod(index, 12)
    return date(year, month + 1, min(day.day, monthrange(year, month + 1)[1]))


def time_ago(now: datetime, unit: str, minimum: float, maximum: float) -> Period:
    """Returns the period between two distances back from now, half a unit wider at both ends.

    Days are exact. Hours and minutes give the whole day. Fractions get a smaller margin.
    """
    if unit in ("hour", "minute"):
        elapsed = timedelta(hours=minimum) if unit == "hour" else timedelta(minutes=minimum)
        return days((now.astimezone(UTC) - elapsed).astimezone(now.tzinfo).date())
    if unit == "day":
        first, last = (now.date() - timedelta(days=int(number)) for number in (maximum, minimum))
        return days(first, (last - first).days + 1)
    if not (minimum or maximum):
        raise ValueError("no distance")
    far, near = maximum + _margin(unit, maximum), minimum - _margin(unit, minimum)
    return _checked(Period(_subtract(now, unit, far), _subtract(now, unit, near)))


def _margin(unit: str, number: float) -> float:
    return (_SMALLER[unit] if number % 1 else 1) / 2


def last_units(now: datetime, unit: str, number: float) -> Period:
    """Returns the last `number` units up to the end of today."""
    return _checked(Period(_subtract(now, unit, number), end_of_today(now)))


def end_of_today(now: datetime) -> datetime:
    return days(now.date()).end


def _subtract(now: datetime, unit: str, number: float) -> datetime:
    if unit in ("month", "year"):
        count = number * (12 if unit == "year" else 1)
        whole = add_months(now.date(), -floor(count))
        return days(whole - timedelta(days=round(count % 1 * 30))).start
    return days(now.date() - timedelta(days=floor(number * (7 if unit == "week" else 1)))).start


def yearly(moment: ReferenceTime, when: Occurrence, make: Callable[[int], Period]) -> Period:
    """Returns an occurrence of the period that `make` gives for a year.

    `make` may raise ValueError, as for a leap day.
    """

    def of(turn: int) -> Period:
        return make(moment.now.year + turn)

    if when is Occurrence.LIKELY:
        coming = _choose_occurrence(moment, Occurrence.COMING, of)
        soon = coming.start.date() - moment.today <= _SOON
        return coming if soon else _choose_occurrence(moment, Occurrence.RECENT, of)
    return _choose_occurrence(moment, when, of)


def yearly_on_weekday(
    moment: ReferenceTime, make: Callable[[int], Period], number: int
) -> Period | None:
    """Returns the period of this, the last or the next year that begins on weekday `number`.

    None if there is no such year: the weekday is a mistake.
    """
    found = [_make_or_none(make, moment.now.year + turn) for turn in (0, 1, -1)]
    return next((one for one in found if one and one.start.weekday() == number), None)


def monthly(moment: ReferenceTime, when: Occurrence, day: int) -> Period:
    """Returns an occurrence of a day of the month."""
    return monthly_period(moment, when, lambda first: days(first.replace(day=day)))


def monthly_period(
    moment: ReferenceTime, when: Occurrence, make: Callable[[date], Period]
) -> Period:
    """Returns an occurrence of the period that `make` gives for the first day of a month."""
    first = moment.today.replace(day=1)
    return _choose_occurrence(moment, when, lambda turn: make(add_months(first, turn)))


def monthly_on_weekday(moment: ReferenceTime, day: int, number: int) -> Period:
    """Returns the nearest such day of a month that is weekday `number` (Monday is 0).

    One that agrees with the tense is preferred if it is near. "Have I said yes to Monday the 30th?"
    does not mean one of eight months ago. If no month nearby has one, the weekday is a mistake, and
    the day of the month counts.
    """
    first = moment.today.replace(day=1)
    turns = range(-_MAX_REPETITIONS, _MAX_REPETITIONS + 1)
    found = [period for turn in turns if (period := _make_or_none(_of_month(first, day), turn))]
    fitting = [period for period in found if period.start.weekday() == number]
    tense, today = moment.tense(), days(moment.today).start
    if not fitting:
        return monthly(moment, moment.default_occurrence, day)
    in_tense = [
        period
        for period in fitting
        if _is_in_tense(period, today, tense) and abs(period.start - today) <= _SOON
    ]
    return min(in_tense or fitting, key=lambda period: abs(period.start - today))


def _of_month(first: date, day: int) -> Callable[[int], Period]:
    return lambda turn: days(add_months(first, turn).replace(day=day))


def _is_in_tense(period: Period, today: datetime, tense: Tense) -> bool:
    is_past = tense is Tense.PAST and period.start <= today
    return tense is Tense.UNKNOWN or is_past or (tense is Tense.FUTURE and period.end > today)


def weekly(moment: ReferenceTime, when: Occurrence, make: Callable[[date], Period]) -> Period:
    """Returns an occurrence of the period that `make` gives for any day of a week."""
    return _choose_occurrence(moment, when, lambda turn: make(moment.today + timedelta(weeks=turn)))


def nearest_in_tense(moment: ReferenceTime, occurrence: Callable[[Occurrence], Period]) -> Period:
    """Returns the occurrence of the tense, or without a tense the nearest one."""
    which = moment.default_occurrence
    if which is not Occurrence.LIKELY:
        return occurrence(which)
    found = map(occurrence, (Occurrence.COMING, Occurrence.RECENT))
    return min(found, key=lambda period: abs(period.start - days(moment.today).start))


def weekday(day: date, number: int) -> Period:
    """Returns weekday `number` (Monday is 0) of the week of `day`."""
    return days(day + timedelta(days=number - day.weekday()))


def _choose_occurrence(
    moment: ReferenceTime, when: Occurrence, make: Callable[[int], Period]
) -> Period:
    """Returns the wanted occurrence. `make` takes the number of repetitions away from the current.

    Raises ValueError if there is no such occurrence nearby.
    """
    today = days(moment.today)
    back = when not in (Occurrence.COMING, Occurrence.NEXT)
    for turn in range(1, -_MAX_REPETITIONS, -1) if back else range(-1, _MAX_REPETITIONS):
        period = _make_or_none(make, turn)
        if period and _is_wanted(period, today, when):
            return period
    raise ValueError("no such day nearby")


def _is_wanted(period: Period, today: Period, when: Occurrence) -> bool:
    match when:
        case Occurrence.RECENT | Occurrence.LIKELY:
            return period.start <= today.start
        case Occurrence.LAST:
            return period.end <= today.start
        case Occurrence.COMING:
            return period.end > today.start
        case Occurrence.NEXT:
            return period.start > today.start


def _make_or_none(make: Callable[[int], Period], turn: int) -> Period | None:
    try:
        return make(turn)
    except (ValueError, OverflowError):
        return None


def _checked(period: Period) -> Period:
    if not FIRST_YEAR <= period.start.year <= period.end.year <= LAST_YEAR + 1:
        raise ValueError(f"the year is not from {FIRST_YEAR} to {LAST_YEAR}")
    if period.start >= period.end:
        raise ValueError("the period is empty")
    return period


def whole_unit(moment: ReferenceTime, unit: str, away: int) -> Period:
    """Returns the week, weekend, month or year that is `away` units from the present one."""
    match unit:
        case "week":
            return week(moment.today + timedelta(weeks=away))
        case "weekend" if away < 0:
            latest = weekly(moment, Occurrence.LAST, weekend)
            return weekend(latest.start.date() + timedelta(weeks=away + 1))
        case "weekend":
            return weekend(moment.today + timedelta(weeks=away))
        case "month":
            first = add_months(moment.today.replace(day=1), away)
            return months(first.year, first.month)
    return year(moment.now.year + away)
