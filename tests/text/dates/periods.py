"""Periods that a text names, in a form that tests can write down."""

from datetime import date, datetime, timedelta

from memory_core.text.dates.find_dates import find_dates


def stretches(text: str, now: datetime) -> list[tuple[str, str]]:
    """Returns start and end of every named time, with the hour unless it is midnight."""
    return [(_written(found.start), _written(found.end)) for found in find_dates(text, now)]


def the(day: str) -> tuple[str, str]:
    """Returns the period of this day."""
    return day, (date.fromisoformat(day) + timedelta(days=1)).isoformat()


def _written(when: datetime) -> str:
    return f"{when:%Y-%m-%d}" if when.hour == 0 else f"{when:%Y-%m-%d %H}"
