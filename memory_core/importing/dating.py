"""Dates that a file does not give: taken from what stands around them, and marked."""

from collections.abc import Sequence
from dataclasses import replace

from ..records import APPROXIMATE, DATE, UNKNOWN, Exchange


def dated(said: Sequence[Exchange], begin: float | None) -> list[Exchange]:
    """Gives those without a time that of the one before, or of the chat's begin, marked so."""
    first = next((it.ts for it in said if it.ts is not None), None)
    around = min((it for it in (begin, first) if it is not None), default=None)
    found: list[Exchange] = []
    for exchange in said:
        if exchange.ts is not None:
            around = exchange.ts
            found.append(exchange)
        else:
            mark = UNKNOWN if around is None else APPROXIMATE
            metadata = {**exchange.metadata, DATE: mark}
            found.append(replace(exchange, ts=around, metadata=metadata))
    return found


def is_marked(exchange: Exchange) -> bool:
    """Whether nobody knows when exactly it was said."""
    return DATE in exchange.metadata or exchange.ts is None
