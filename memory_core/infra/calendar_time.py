"""A time as a date of the calendar. An imported time may lie far outside of it."""

from datetime import UTC, datetime, timedelta, tzinfo

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def to_datetime(ts: float | None, tz: tzinfo | None = None) -> datetime | None:
    """Returns the time, in seconds since the epoch, in `tz`; None means this machine's zone.

    Returns None for an unknown time and for one outside the calendar.
    """
    try:
        return None if ts is None else (_EPOCH + timedelta(seconds=ts)).astimezone(tz)
    except (OverflowError, OSError, ValueError):
        return None
