"""Days on this machine's calendar: as prompts show them, and as answers name them."""

import re
from datetime import datetime, timedelta

from ..infra.calendar_time import to_datetime
from ..text.dates.english_words import LONG_WEEKDAYS
from ..text.prompt_files import ZH_WEEKDAYS

_NAMED = re.compile(r"(\d{4})(?:-(\d{1,2})(?:-(\d{1,2}))?)?")


def day_of(ts: float | None) -> str:
    """Returns the day, such as "2025-03-03"; "?" if it is unknown."""
    day = to_datetime(ts)
    return f"{day:%Y-%m-%d}" if day else "?"


def minute_of(ts: float | None) -> str:
    """Returns the day and minute, such as "2025-03-03 18:20"; "?" if it is unknown."""
    moment = to_datetime(ts)
    return f"{moment:%Y-%m-%d %H:%M}" if moment else "?"


def day_and_weekday(ts: float | None, language: str) -> str:
    """Returns a day such as "Monday, 2025-03-03", in Chinese for zh; "?" if it is unknown."""
    day = to_datetime(ts)
    if day is None:
        return "?"
    if language == "zh":
        return f"{day:%Y-%m-%d}，{ZH_WEEKDAYS[day.weekday()]}"  # noqa: RUF001
    return f"{LONG_WEEKDAYS[day.weekday()].capitalize()}, {day:%Y-%m-%d}"


def period_named(when: str) -> tuple[float, float] | None:
    """Returns the half-open interval of YYYY, YYYY-MM or YYYY-MM-DD, in seconds since the epoch."""
    found = _NAMED.fullmatch(when.strip())
    if not found:
        return None
    year, month, day = found[1], found[2], found[3]
    try:
        start = datetime(int(year), int(month or 1), int(day or 1))
        if day:
            end = start + timedelta(days=1)
        elif month:
            end = (start + timedelta(days=32)).replace(day=1)
        else:
            end = start.replace(year=start.year + 1)
        return start.timestamp(), end.timestamp()
    except (ValueError, OverflowError, OSError):
        return None
