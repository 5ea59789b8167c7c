"""Several days of one month: "zwischen dem 3. und dem 7.", "del 3 al 7 de diciembre"."""

import re
from calendar import monthrange
from datetime import date
from functools import partial

from .calendar import (
    Cycle,
    Period,
    ReferenceTime,
    add_months,
    days,
    monthly_period,
    nearest_in_tense,
)
from .date_words import NEVER, DateWords
from .rule_engine import NO_DATE, Interpretation, Interpreter, repeating_period

_NEAR = 80
_NUMBER = "[0-3]?[0-9]"


def before_last_day(words: DateWords) -> str:
    """Returns a pattern for the first day, with all that stands before the number of the last."""
    joined = rf"(?(among)\s+{words.among_and}\s+|\s*(?:[-–]|{words.until})\s*)"  # noqa: RUF001
    return (
        rf"(?:(?:(?P<among>{words.among})\s+|(?:{words.span_from})\s+)?"
        rf"(?P<first>{_NUMBER})(?:{words.after_number})?{joined})"
    )


def without_month(words: DateWords) -> str:
    """Returns a pattern for days whose month is not named. It needs a word before the first."""
    joined = rf"(?(among){words.among_and}|(?:{words.until}))"
    number = rf"{_NUMBER}(?![0-9])(?:{words.after_number})?"
    return (
        rf"(?:(?P<among>{words.among})|{words.span_from})\s+(?P<first>{number})\s+{joined}\s+"
        rf"(?P<last>{number}){words.span_end}"
    )


def days_reader(months: str, numbered_things: str = NEVER) -> Interpreter:
    """Returns an interpreter of days of a month that is not named.

    Both are patterns. After the name of one of the `months`, the days are not interpreted, and
    after one of the `numbered_things` they are numbers.
    """
    return partial(
        _read_days,
        months=rf"\b(?:{months})\b",
        numbered_things=rf"\b(?:{numbered_things})(?:\s+\w+)?\s+$",
    )


def first_day(match: re.Match[str], last: int) -> int:
    """Returns the number of the first day, or `last` if there is one day: "5-2 May" has a score."""
    if not (number := match.groupdict().get("first")):
        return last
    joined = match.string[match.end("first") : match.start("d")]
    is_score = int(number) > last and re.search("[-–]", joined)  # noqa: RUF001
    return last if is_score else int(number)


def span_up_to(first: int, last: date) -> Period:
    """Returns the days from `first` to `last`. A larger `first` is a day of the month before.

    That is its last day if the month is shorter.
    """
    month = last if first <= last.day else add_months(last.replace(day=1), -1)
    day = min(first, monthrange(month.year, month.month)[1])
    return Period(days(month.replace(day=day)).start, days(last).end)


def _read_days(
    match: re.Match[str], moment: ReferenceTime, *, months: str, numbered_things: str
) -> Interpretation | None:
    """Interprets days of one month, or of two if the last day is the smaller."""
    first, last = (int(re.sub("[^0-9]", "", match[name])) for name in ("first", "last"))

    def of(month: date) -> Period:
        month_of_last = month if first <= last else add_months(month, 1)
        end = days(month_of_last.replace(day=last)).end
        return Period(days(month.replace(day=first)).start, end)

    before = match.string[max(0, match.start() - _NEAR) : match.start()]
    if re.search(numbered_things, before, re.IGNORECASE):
        return NO_DATE  # "a number between the 2 and the 6", as Spanish says
    if re.search(months, before, re.IGNORECASE):
        return None  # "in February, from the 20th to the 24th"
    period = nearest_in_tense(moment, lambda which: monthly_period(moment, which, of))
    return repeating_period(period, Cycle.MONTH)
