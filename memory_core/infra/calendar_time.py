"""Times as dates of the calendar, and spans of both. An imported time may lie far outside of it."""

from datetime import UTC, date, datetime, timedelta, tzinfo

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def to_datetime(ts: float | None, tz: tzinfo | None = None) -> datetime | None:
    """Returns the time, in seconds since the epoch, in `tz`; None means this machine's zone.

    Returns None for an unknown time and for one outside the calendar.
    """
    try:
        return None if ts is None else (_EPOCH + timedelta(seconds=ts)).astimezone(tz)
    except (OverflowError, OSError, ValueError):
        return None


def is_within(ts: float | None, since: float | None, until: float | None) -> bool:
    """Returns whether a time is in a half-open interval; None as a limit means that it has none.

    An unknown time is only in the interval without limits.
    """
    if ts is None:
        return since is None and until is None
    return (since is None or ts >= since) and (until is None or ts < until)


def is_day_within(day: date, first: date | None, last: date | None) -> bool:
    """Returns whether a day is one of these, both ends included; None means no limit."""
    return (first is None or day >= first) and (last is None or day <= last)
