"""Lists of memories for people to look through: the query, and the result with its counts."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import NamedTuple

from ..domain.records import Memory, MemoryKind, Role

MAX_CHATS = 200
NO_MONTH = ""


class Order(StrEnum):
    """Order of a list. Memories without a time are the oldest."""

    NEWEST = "newest"
    OLDEST = "oldest"
    BEST = "best"  # by BM25 of the words; the newest first if there are none
    RECALLED = "recalled"  # by the query's `recalls`; the newest first among equals


@dataclass(frozen=True, slots=True, kw_only=True)
class ListQuery:
    """Query for live memories. A field with its default value restricts nothing.

    `words`: groups of terms; a memory holds at least one term of each group. `said_by`: on this
    side of an exchange (USER or ASSISTANT); a memory that is not an exchange has all on the
    user's.
    `kinds`: of these kinds. `pinned`: pinned ones alone. `since`, `until`: said in this half-open
    interval, in seconds since the epoch; memories without a time are excluded. `conversation`:
    shown in it. `channel`: exchanges that came through it. `recalls`: id → number of recalls, for
    Order.RECALLED alone.
    """

    words: tuple[tuple[str, ...], ...] = ()
    said_by: Role | None = None
    kinds: frozenset[MemoryKind] = frozenset()
    pinned: bool = False
    since: float | None = None
    until: float | None = None
    conversation: str = ""
    channel: str = ""
    order: Order = Order.NEWEST
    recalls: Mapping[str, int] = field(default_factory=dict, repr=False)
    limit: int = 20
    offset: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class ListedMemories:
    """One page of a list, the length of the whole list, and counts for narrowing it.

    Each count ignores the query's restriction of its own field. `months`: "2026-11", in local
    time, or NO_MONTH → number. `conversations`: log → number, the largest MAX_CHATS.
    """

    memories: Sequence[Memory]
    total: int
    months: Mapping[str, int]
    kinds: Mapping[MemoryKind, int]
    pinned: int
    conversations: Mapping[str, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionQuery:
    """Query for conversations. A field with its default value restricts nothing.

    Only live exchanges that came through `channel` and were said in the half-open interval from
    `since` to `until` count (seconds since the epoch; those without a time are then excluded).
    """

    channel: str = ""
    since: float | None = None
    until: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionSpan:
    """A conversation, by the name of its log, with those of its exchanges that count.

    `first` and `last` are their times, None if none has one. `channel` is that of the last one.
    """

    conversation: str
    first: float | None
    last: float | None
    count: int
    channel: str


class SpanPart(NamedTuple):
    """The exchanges of one conversation that came through one channel."""

    conversation: str
    channel: str
    first: float | None
    last: float | None
    exchanges: int


def joined_spans(parts: Iterable[SpanPart]) -> list[SessionSpan]:
    """Joins the parts of each conversation; returns the conversations, the latest first."""
    grouped: dict[str, list[SpanPart]] = {}
    for part in parts:
        grouped.setdefault(part.conversation, []).append(part)
    found = [_joined(group) for group in grouped.values()]
    return sorted(found, key=lambda span: (-_time(span.last), span.conversation))


def _joined(parts: Sequence[SpanPart]) -> SessionSpan:
    latest = max(parts, key=lambda part: (_time(part.last), part.channel))
    return SessionSpan(
        conversation=latest.conversation,
        first=min((part.first for part in parts if part.first is not None), default=None),
        last=latest.last,
        count=sum(part.exchanges for part in parts),
        channel=latest.channel,
    )


def _time(ts: float | None) -> float:
    return float("-inf") if ts is None else ts
