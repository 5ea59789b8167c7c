"""Marks exchanges that repeat an earlier exchange of the chat word for word."""

from collections.abc import Sequence
from dataclasses import replace

from ..domain.records import REPEAT, Exchange


def mark_repeats(shown: Sequence[Exchange]) -> Sequence[Exchange]:
    """Returns a chat's exchanges, oldest first, with all but the first of equal ones marked.

    All stay in the result, because each has its own time in the chat. Recall returns one of them.
    """
    keys = [exchange.key for exchange in shown]
    if len(set(keys)) == len(keys):
        return shown
    seen: set[str] = set()
    marked = []
    for exchange, key in zip(shown, keys, strict=True):
        marked.append(_marked(exchange) if key in seen else exchange)
        seen.add(key)
    return marked


def is_repeat(exchange: Exchange) -> bool:
    return bool(exchange.metadata.get(REPEAT))


def _marked(exchange: Exchange) -> Exchange:
    return replace(exchange, metadata={**exchange.metadata, REPEAT: True})
