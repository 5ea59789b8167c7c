"""Selects the memories over a limit: the oldest, until the rest is within it. Pure functions.

Pinned memories and knowledge are never selected and do not count. A memory without a time counts
as the oldest, but is never too old.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import islice

from ..config.schema import RetentionSettings
from ..storage.contract import RetentionCandidate

_DAY_S = 86_400.0
_TOMBSTONE_BYTES = 1200  # measured: hash, position and time of an erased memory, with indexes
_MB = 1024 * 1024  # as the tab shows sizes


class RetentionReason(StrEnum):
    """The limit that a memory was over, by the setting's name."""

    TOO_OLD = "max_age_days"
    TOO_MANY = "max_memories"
    TOO_BIG = "max_mb"


@dataclass(frozen=True, slots=True, kw_only=True)
class RetentionLimits:
    """The most that one namespace may hold; None sets no limit."""

    max_memories: int | None = None
    max_age_s: float | None = None
    max_bytes: int | None = None

    @property
    def is_set(self) -> bool:
        return self != RetentionLimits()

    def oldest_allowed(self, now: float) -> float | None:
        """Returns the time before which memories are too old, in seconds since the epoch."""
        return None if self.max_age_s is None else now - self.max_age_s


@dataclass(frozen=True, slots=True, kw_only=True)
class NamespaceSize:
    """Counts of one namespace's memories, and the `bytes_in_use` for all of them.

    `live` ones may be removed. `total` have text on disk; `awaiting_erasure` of these are
    forgotten. Of the `erased` ones only tombstones are left.
    """

    live: int
    total: int = 0
    awaiting_erasure: int = 0
    erased: int = 0
    bytes_in_use: int = 0

    @property
    def bytes_per_memory(self) -> float:
        """The bytes that erasing one memory frees, if all have the same size."""
        return (self.bytes_in_use - _TOMBSTONE_BYTES * self.erased) / max(
            1, self.total
        ) - _TOMBSTONE_BYTES


def limits_from_settings(settings: RetentionSettings) -> RetentionLimits:
    days, mb = settings.max_age_days, settings.max_mb
    return RetentionLimits(
        max_memories=settings.max_memories,
        max_age_s=None if days is None else days * _DAY_S,
        max_bytes=None if mb is None else round(mb * _MB),
    )


def select_for_retention(
    size: NamespaceSize,
    oldest: Sequence[RetentionCandidate],
    limits: RetentionLimits,
    *,
    now: float,
) -> dict[str, RetentionReason]:
    """Returns id → reason of those candidates that are over a limit, oldest first."""
    limit = limits.oldest_allowed(now)
    chosen = {
        candidate.id: RetentionReason.TOO_OLD
        for candidate in oldest
        if limit is not None and candidate.ts is not None and candidate.ts < limit
    }
    too_old = sum(candidate.is_live for candidate in oldest if candidate.id in chosen)
    rest = [candidate for candidate in oldest if candidate.id not in chosen]
    live = (candidate.id for candidate in rest if candidate.is_live)
    chosen |= dict.fromkeys(
        islice(live, excess_count(size.live - too_old, limits)), RetentionReason.TOO_MANY
    )
    others = (candidate.id for candidate in rest if candidate.id not in chosen)
    more = max(0, excess_size(size, limits) - len(chosen))
    return chosen | dict.fromkeys(islice(others, more), RetentionReason.TOO_BIG)


def excess_count(live: int, limits: RetentionLimits) -> int:
    """Returns how many of `live` memories exceed the limit on their number."""
    return 0 if limits.max_memories is None else max(0, live - limits.max_memories)


def excess_size(size: NamespaceSize, limits: RetentionLimits) -> int:
    """Returns how many memories exceed the limit of size; 0 if removing all is not enough."""
    if not is_too_big(size, limits) or is_unreachable(size, limits):
        return 0
    return max(
        0,
        math.ceil((size.bytes_in_use - (limits.max_bytes or 0)) / size.bytes_per_memory)
        - size.awaiting_erasure,
    )


def is_too_big(size: NamespaceSize, limits: RetentionLimits) -> bool:
    return limits.max_bytes is not None and size.bytes_in_use > limits.max_bytes


def is_unreachable(size: NamespaceSize, limits: RetentionLimits) -> bool:
    """Returns whether the namespace stays too big even if all its memories are removed."""
    return is_too_big(size, limits) and size.bytes_in_use - size.total * size.bytes_per_memory > (
        limits.max_bytes or 0
    )
