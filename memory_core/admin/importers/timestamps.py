"""Dates of foreign files as seconds since the epoch; None for what is no usable date."""

import math
import re
from datetime import datetime, tzinfo

# The end of the year 9999.
_LATEST = 253_402_300_799.0
_UNITS = ((1e11, 1.0), (1e14, 1e3), (1e17, 1e6), (1e20, 1e9))

_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_SPOKEN = re.compile(
    r"([A-Za-z]{3,9})\.? (\d{1,2}),? (\d{4}),? (\d{1,2}):(\d{2})(?::(\d{2}))?\s?(?:([ap])\.?m\.?)?",
    re.IGNORECASE,
)
_COMPACT = re.compile(
    r"(\d{4})-(\d{1,2})-(\d{1,2}) ?@(\d{1,2})h ?(\d{1,2})m ?(\d{1,2})s(?: ?(\d{1,3})ms)?"
)
_NUMBER = re.compile(r"-?\d{1,25}(?:\.\d{1,12})?")
_LONGEST = 64


def seconds(value: object, *, zone: tzinfo | None = None) -> float | None:
    """Numbers count s, ms, µs or ns, by their size; texts are ISO 8601, "June 19, 2023 2:20pm" or
    "2024-7-12@01h31m37s123ms". `zone` is that of dates that name none; without it, the local one.
    """
    if isinstance(value, int | float) and not isinstance(value, bool):
        return _of_number(value)
    if not isinstance(value, str) or len(value) > _LONGEST:
        return None
    text = value.strip()
    if _NUMBER.fullmatch(text):
        return _of_number(float(text))
    try:
        return _plausible(
            _at(_spoken(text) or _compact(text) or datetime.fromisoformat(text), zone)
        )
    except (ValueError, OverflowError, OSError):
        return None


def _of_number(value: float) -> float | None:
    if not 0 < value < _UNITS[-1][0]:
        return None
    divisor = next(divisor for below, divisor in _UNITS if value < below)
    return _plausible(value / divisor)


def _plausible(moment: float) -> float | None:
    return moment if math.isfinite(moment) and 0 < moment <= _LATEST else None


def _at(moment: datetime, zone: tzinfo | None) -> float:
    return (moment if moment.tzinfo else moment.replace(tzinfo=zone)).timestamp()


def _spoken(text: str) -> datetime | None:
    match = _SPOKEN.fullmatch(text)
    if match is None or match[1][:3].lower() not in _MONTHS:
        return None
    month = _MONTHS.index(match[1][:3].lower()) + 1
    hour = _hour(int(match[4]), (match[7] or "").lower())
    return datetime(int(match[3]), month, int(match[2]), hour, int(match[5]), int(match[6] or 0))


def _hour(hour: int, half: str) -> int:
    return hour % 12 + (12 if half == "p" else 0) if half else hour


def _compact(text: str) -> datetime | None:
    match = _COMPACT.fullmatch(text)
    if match is None:
        return None
    year, month, day, hour, minute, second = map(int, match.groups()[:6])
    return datetime(year, month, day, hour, minute, second, int(match[7] or 0) * 1000)
