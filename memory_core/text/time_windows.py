"""Reads the beginning and end of a span of time as people and programs write them."""

from datetime import UTC, date, datetime, time, timedelta, timezone, tzinfo

Moment = float | int | str | date | datetime | None
_FORMS = "write 2026-01-31, 2026-01-31T18:00 or 2026-01-31T18:00+02:00"
_MOST_OFFSET_HOURS = 24.0


def time_window(
    since: Moment, until: Moment, utc_offset_hours: float | None = None
) -> tuple[float | None, float | None]:
    """Returns the half-open interval in seconds since the epoch; None where it is open.

    A number is in seconds since the epoch. A day as `until` belongs to the interval. Days, and
    times without an offset, count in the time zone `utc_offset_hours`, by default this machine's.
    Raises ValueError, also if the interval is empty.
    """
    zone = _zone(utc_offset_hours)
    first, last = _seconds(since, zone, timedelta()), _seconds(until, zone, timedelta(days=1))
    if first is not None and last is not None and first >= last:
        raise ValueError("since must be earlier than until")
    return first, last


def _zone(offset_hours: float | None) -> tzinfo | None:
    if offset_hours is None:
        return None
    if not -_MOST_OFFSET_HOURS < offset_hours < _MOST_OFFSET_HOURS:
        raise ValueError(f"{offset_hours} is not an offset from UTC in hours: write -12 to 14")
    return UTC if offset_hours == 0 else timezone(timedelta(hours=offset_hours))


def _seconds(moment: Moment, zone: tzinfo | None, day: timedelta) -> float | None:
    """Returns the time in seconds; `day` is added to a moment that names a whole day."""
    if moment is None or moment == "":
        return None
    if isinstance(moment, int | float):
        return float(moment)
    found = _parsed(moment) if isinstance(moment, str) else moment
    if not isinstance(found, datetime):
        found = datetime.combine(found, time.min) + day
    return (found if found.tzinfo else found.replace(tzinfo=zone)).timestamp()


def _parsed(text: str) -> date | datetime:
    try:
        return date.fromisoformat(text)
    except ValueError:
        pass
    try:
        return datetime.fromisoformat(text)
    except ValueError as exc:
        raise ValueError(f"{text!r} is not a date: {_FORMS}") from exc
