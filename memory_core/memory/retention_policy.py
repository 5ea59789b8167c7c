"""Which memories a limit lets go: the oldest, until the rest is within it. Pure; nothing is done.

What is pinned and knowledge never go and do not count. What has no time counts as the oldest,
but is never too old.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import islice

from ..config.schema import RetentionSettings
from ..storage.contract import RetentionCandidate

_DAY_S = 86_400.0
_TOMBSTONE_BYTES = (
    1200  # bytes, measured: the seal, place and time of an erased memory, and their indexes
)
_MB = 1024 * 1024  # as the tab shows sizes


class RetentionReason(StrEnum):
    """By the setting's name."""

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
        """What was said before this is too old."""
        return None if self.max_age_s is None else now - self.max_age_s


@dataclass(frozen=True, slots=True, kw_only=True)
class NamespaceSize:
    """What one namespace has: `live` memories that may go, `total` memories with words on disk,
    `leaving` of which are forgotten and wait to be erased, and `erased` ones of which only the
    seals are left; all that in `used` bytes.
    """

    live: int
    total: int = 0
    awaiting_erasure: int = 0
    erased: int = 0
    bytes_in_use: int = 0

    @property
    def bytes_per_memory(self) -> float:
        """The bytes that one memory gives back when it is erased, if all are of one size."""
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
    held: NamespaceSize, oldest: Sequence[RetentionCandidate], quota: RetentionLimits, *, now: float
) -> dict[str, RetentionReason]:
    """The ids among these oldest that have to go, and why each of them; oldest first."""
    limit = quota.oldest_allowed(now)
    going = {
        it.id: RetentionReason.TOO_OLD
        for it in oldest
        if limit is not None and it.ts is not None and it.ts < limit
    }
    gone = sum(it.is_live for it in oldest if it.id in going)
    left = [it for it in oldest if it.id not in going]
    live = (it.id for it in left if it.is_live)
    going |= dict.fromkeys(
        islice(live, excess_count(held.live - gone, quota)), RetentionReason.TOO_MANY
    )
    rest = (it.id for it in left if it.id not in going)
    more = max(0, excess_size(held, quota) - len(going))
    return going | dict.fromkeys(islice(rest, more), RetentionReason.TOO_BIG)


def excess_count(live: int, quota: RetentionLimits) -> int:
    """How many of so many have to go for their number."""
    return 0 if quota.max_memories is None else max(0, live - quota.max_memories)


def excess_size(held: NamespaceSize, quota: RetentionLimits) -> int:
    """How many have to go for their size; none where all of them together would not be enough."""
    if not is_too_big(held, quota) or is_unreachable(held, quota):
        return 0
    return max(
        0,
        math.ceil((held.bytes_in_use - (quota.max_bytes or 0)) / held.bytes_per_memory)
        - held.awaiting_erasure,
    )


def is_too_big(held: NamespaceSize, quota: RetentionLimits) -> bool:
    return quota.max_bytes is not None and held.bytes_in_use > quota.max_bytes


def is_unreachable(held: NamespaceSize, quota: RetentionLimits) -> bool:
    """Whether it would stay too big, whatever went."""
    return is_too_big(held, quota) and held.bytes_in_use - held.total * held.bytes_per_memory > (
        quota.max_bytes or 0
    )


def count_reasons(reasons: Mapping[RetentionReason, int]) -> int:
    return sum(reasons.values())
