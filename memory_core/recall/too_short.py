"""What is too short to be recalled: each side of an exchange is judged by its own length."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from ..domain.records import Memory
from ..storage.log.projection import MemoryRecord, exchange_text


def is_too_short(memory: Memory, least: int) -> bool:
    """Whether it is an exchange of which neither side has so many letters."""
    exchange = memory.exchange
    return exchange is not None and max(len(exchange.user), len(exchange.assistant)) < least


def without_short_sides(memory: Memory, least: int) -> Memory:
    """The memory with only those sides that have at least so many letters; as it is where neither
    has, and where it is no exchange.
    """
    exchange = memory.exchange
    if exchange is None:
        return memory
    kept = [text if len(text) >= least else "" for text in (exchange.user, exchange.assistant)]
    if kept == [exchange.user, exchange.assistant] or not any(kept):
        return memory
    exchange = replace(exchange, user=kept[0], assistant=kept[1])
    return replace(memory, exchange=exchange, text=exchange_text(exchange))


def long_sides(
    ids: Sequence[str], entries: Mapping[str, MemoryRecord], least: int
) -> NDArray[np.bool_]:
    """Which sides of these have at least so many letters, shape (n, 2); a note has them all."""
    return np.array(
        [_are_long(entries.get(memory_id), least) for memory_id in ids], dtype=bool
    ).reshape(-1, 2)


def _are_long(entry: MemoryRecord | None, least: int) -> tuple[bool, bool]:
    exchange = entry.memory.exchange if entry else None
    if exchange is None:
        return True, True
    return len(exchange.user) >= least, len(exchange.assistant) >= least
