"""Finds word-for-word repeats in one chat: an earlier message again, with the same answer."""

from collections.abc import Sequence
from dataclasses import replace

from ..domain.records import REPEAT, Exchange


def mark_repeats(shown: Sequence[Exchange]) -> Sequence[Exchange]:
    """Returns a chat's exchanges, oldest first, each but the first of equal ones marked.

    All are kept, since each stands in the chat at its own time; recall brings one of them.
    """
    keys = [it.key for it in shown]
    if len(set(keys)) == len(keys):
        return shown
    seen: set[str] = set()
    found = []
    for exchange, key in zip(shown, keys, strict=True):
        found.append(_marked(exchange) if key in seen else exchange)
        seen.add(key)
    return found


def is_repeat(exchange: Exchange) -> bool:
    return bool(exchange.metadata.get(REPEAT))


def _marked(exchange: Exchange) -> Exchange:
    return replace(exchange, metadata={**exchange.metadata, REPEAT: True})
