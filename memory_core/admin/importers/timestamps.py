"""Parses dates of foreign files as seconds since the epoch, and fills in those that are missing."""

import math
import re
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, tzinfo
from typing import Any

from ...domain.records import APPROXIMATE, DATE, UNKNOWN, Exchange, is_date_guessed

# The end of the year 9999.
_MAX_TIMESTAMP = 253_402_300_799.0
_UNITS = ((1e11, 1.0), (1e14, 1e3), (1e17, 1e6), (1e20, 1e9))

_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_SPOKEN_DATE = re.compile(
    r"([A-Za-z]{3,9})\.? (\d{1,2}),? (\d{4}),? (\d{1,2}):(\d{2})(?::(\d{2}))?\s?(?:([ap])\.?m\.?)?",
    re.IGNORECASE,
)
_COMPACT_DATE = re.compile(
    r"(\d{4})-(\d{1,2})-(\d{1,2}) ?@(\d{1,2})h ?(\d{1,2})m ?(\d{1,2})s(?: ?(\d{1,3})ms)?"
)
_TIME = r"(?:,? (?P<hour>\d{1,2}):(?P<minute>\d{2})(?::(?P<second>\d{2}))?)?"
# As spreadsheets write them. 7/12/2024 could be either day.
_SHEET_DATES = (
    re.compile(rf"(?P<day>\d{{1,2}})\.(?P<month>\d{{1,2}})\.(?P<year>\d{{4}}){_TIME}"),
    re.compile(rf"(?P<year>\d{{4}})[/-](?P<month>\d{{1,2}})[/-](?P<day>\d{{1,2}}){_TIME}"),
)
_NUMBER = re.compile(r"-?\d{1,25}(?:\.\d{1,12})?")
_MAX_CHARS = 64
_OWN_DATE_KEY = "date_given"


def parse_timestamp(value: object, *, zone: tzinfo | None = None) -> float | None:
    """Returns the time of a number or a text, in seconds since the epoch.

    Numbers count s, ms, µs or ns, by their size; texts are ISO 8601, "June 19, 2023 2:20pm",
    "2024-7-12@01h31m37s123ms", "12.7.2024 13:31" or "2024/7/12 13:31". Dates without
    a zone are in `zone`, by default the local one.
    """
    if isinstance(value, int | float) and not isinstance(value, bool):
        return _from_number(value)
    if not isinstance(value, str) or len(value) > _MAX_CHARS:
        return None
    text = value.strip()
    if _NUMBER.fullmatch(text):
        return _from_number(float(text))
    try:
        named = _parse_spoken(text) or _parse_compact(text) or _parse_sheet(text)
        moment = named or datetime.fromisoformat(text)
        local = moment if moment.tzinfo else moment.replace(tzinfo=zone)
        return _checked_timestamp(local.timestamp())
    except (ValueError, OverflowError, OSError):
        return None


def _from_number(value: float) -> float | None:
    if not 0 < value < _UNITS[-1][0]:
        return None
    divisor = next(divisor for below, divisor in _UNITS if value < below)
    return _checked_timestamp(value / divisor)


def _checked_timestamp(moment: float) -> float | None:
    return moment if math.isfinite(moment) and 0 < moment <= _MAX_TIMESTAMP else None


def _parse_spoken(text: str) -> datetime | None:
    match = _SPOKEN_DATE.fullmatch(text)
    if match is None or match[1][:3].lower() not in _MONTHS:
        return None
    month = _MONTHS.index(match[1][:3].lower()) + 1
    hour = int(match[4])
    if half := match[7]:
        hour = hour % 12 + (12 if half.lower() == "p" else 0)
    return datetime(int(match[3]), month, int(match[2]), hour, int(match[5]), int(match[6] or 0))


def _parse_compact(text: str) -> datetime | None:
    match = _COMPACT_DATE.fullmatch(text)
    if match is None:
        return None
    year, month, day, hour, minute, second = map(int, match.groups()[:6])
    return datetime(year, month, day, hour, minute, second, int(match[7] or 0) * 1000)


def _parse_sheet(text: str) -> datetime | None:
    match = next(filter(None, (pattern.fullmatch(text) for pattern in _SHEET_DATES)), None)
    if match is None:
        return None
    year, month, day = (int(match[part]) for part in ("year", "month", "day"))
    hour, minute, second = (int(match[part] or 0) for part in ("hour", "minute", "second"))
    return datetime(year, month, day, hour, minute, second)


def fill_missing_dates(said: Sequence[Exchange], begin: float | None) -> list[Exchange]:
    """Gives undated exchanges the time of the one before, or of the chat's start, and marks them.

    `begin` is the chat's start in seconds since the epoch.
    """
    first = next((exchange.ts for exchange in said if exchange.ts is not None), None)
    around = min((time for time in (begin, first) if time is not None), default=None)
    found: list[Exchange] = []
    for exchange in said:
        if exchange.ts is not None:
            around = exchange.ts
            found.append(exchange)
        else:
            mark = UNKNOWN if around is None else APPROXIMATE
            metadata = {**_preserve_own_date(exchange), DATE: mark}
            found.append(replace(exchange, ts=around, metadata=metadata))
    return found


def _preserve_own_date(exchange: Exchange) -> dict[str, Any]:
    """Returns the metadata with the file's own `date` under another key, so as not to lose it."""
    metadata = dict(exchange.metadata)
    if DATE in metadata and not is_date_guessed(metadata):
        metadata[_OWN_DATE_KEY] = metadata[DATE]
    return metadata


def has_uncertain_date(exchange: Exchange) -> bool:
    """Returns True if the exact time of the exchange is unknown."""
    return is_date_guessed(exchange.metadata) or exchange.ts is None
