"""Dates that a file does not give: taken from what stands around them, and marked."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from ...domain.records import APPROXIMATE, DATE, UNKNOWN, Exchange, is_date_guessed

_OWN_DATE_KEY = "date_given"


def fill_missing_dates(said: Sequence[Exchange], begin: float | None) -> list[Exchange]:
    """Gives those without a time that of the one before, or of the chat's begin, marked so."""
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
    """The file's metadata may have a `date`, which the mark must not replace."""
    metadata = dict(exchange.metadata)
    if DATE in metadata and not is_date_guessed(metadata):
        metadata[_OWN_DATE_KEY] = metadata[DATE]
    return metadata


def has_uncertain_date(exchange: Exchange) -> bool:
    """Whether nobody knows when exactly it was said."""
    return is_date_guessed(exchange.metadata) or exchange.ts is None
