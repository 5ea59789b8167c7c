"""Fills in missing dates from neighbouring exchanges and marks them as guessed."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from ...domain.records import APPROXIMATE, DATE, UNKNOWN, Exchange, is_date_guessed

_OWN_DATE_KEY = "date_given"


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
