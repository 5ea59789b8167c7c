"""Excludes short messages from recall. Each side of an exchange is judged by its own length."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from ..domain.records import Memory
from ..storage.log.projection import MemoryRecord, exchange_text


def is_too_short(memory: Memory, min_letters: int) -> bool:
    """Returns whether a memory is an exchange with both sides below `min_letters`."""
    exchange = memory.exchange
    return exchange is not None and max(len(exchange.user), len(exchange.assistant)) < min_letters


def without_short_sides(memory: Memory, min_letters: int) -> Memory:
    """Returns the memory without sides below `min_letters`.

    A note, or an exchange of two short sides, is returned unchanged.
    """
    exchange = memory.exchange
    if exchange is None:
        return memory
    kept = [
        text if len(text) >= min_letters else "" for text in (exchange.user, exchange.assistant)
    ]
    if kept == [exchange.user, exchange.assistant] or not any(kept):
        return memory
    exchange = replace(exchange, user=kept[0], assistant=kept[1])
    return replace(memory, exchange=exchange, text=exchange_text(exchange))


def long_sides(
    ids: Sequence[str], entries: Mapping[str, MemoryRecord], min_letters: int
) -> NDArray[np.bool_]:
    """Returns which sides have at least `min_letters`, shape (n, 2); for notes, both."""
    return np.array(
        [_are_long(entries.get(memory_id), min_letters) for memory_id in ids], dtype=bool
    ).reshape(-1, 2)


def _are_long(entry: MemoryRecord | None, min_letters: int) -> tuple[bool, bool]:
    exchange = entry.memory.exchange if entry else None
    if exchange is None:
        return True, True
    return len(exchange.user) >= min_letters, len(exchange.assistant) >= min_letters
