"""Lists memories by brute force: the oracle of the local store's listing."""

import math
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime

from memory_core.domain.records import MemoryKind, Role
from memory_core.storage.contract import Side
from memory_core.storage.index.catalog.rows import terms_of
from memory_core.storage.listing import (
    MAX_CHATS,
    NO_MONTH,
    ListedMemories,
    ListQuery,
    Order,
    SessionQuery,
    SessionSpan,
)
from memory_core.storage.log.projection import MemoryRecord
from memory_core.text import bm25

from .rows import saturate, time_of, words_of


def list_memories(oldest_first: Sequence[MemoryRecord], query: ListQuery) -> ListedMemories:
    """Returns one page of these live records, and the counts."""
    found = [entry for entry in _by_time(oldest_first) if _passes(entry, query)]
    if query.order is Order.BEST and query.words:
        scores = _scores(oldest_first, {word for group in query.words for word in group})
        found = [entry for entry in oldest_first if entry in found]
        found.sort(key=lambda entry: -scores[entry.memory.id])
    elif query.order is not Order.OLDEST:
        found.reverse()
    if query.order is Order.RECALLED:
        found.sort(key=lambda entry: -query.recalls.get(entry.memory.id, 0))
    page = found[query.offset : query.offset + query.limit]
    at_any_time = _passing(oldest_first, replace(query, since=None, until=None))
    of_any_kind = _passing(oldest_first, replace(query, kinds=frozenset()))
    in_any_chat = _passing(oldest_first, replace(query, conversation=""))
    maybe_pinned = _passing(oldest_first, replace(query, pinned=False))
    return ListedMemories(
        memories=[entry.memory for entry in page],
        total=len(found),
        months=Counter(_month(entry.memory.ts) for entry in at_any_time),
        kinds=Counter(entry.memory.kind for entry in of_any_kind),
        pinned=sum(entry.memory.pinned for entry in maybe_pinned),
        conversations=_largest(Counter(log for one in in_any_chat for log in one.positions)),
    )


def _scores(records: Sequence[MemoryRecord], words: Collection[str]) -> dict[str, float]:
    """Returns id → BM25's score."""
    texts = {entry.memory.id: Counter(words_of(entry.memory)) for entry in records}
    corpus = bm25.Corpus(
        size=len(texts),
        mean_length=sum(text.total() for text in texts.values()) / max(1, len(texts)),
        document_frequency={word: sum(word in text for text in texts.values()) for word in words},
    )
    mean = corpus.mean_length or 1.0
    return {
        name: sum(corpus.weight(word) * saturate(text[word], text.total() / mean) for word in words)
        for name, text in texts.items()
    }


def _by_time(records: Sequence[MemoryRecord]) -> list[MemoryRecord]:
    return sorted(records, key=lambda entry: time_of(entry.memory))


def _passing(records: Sequence[MemoryRecord], query: ListQuery) -> list[MemoryRecord]:
    return [entry for entry in records if _passes(entry, query)]


def _passes(entry: MemoryRecord, query: ListQuery) -> bool:
    memory, time = entry.memory, time_of(entry.memory)
    sides = terms_of(memory)
    said = {
        None: {*sides[Side.USER], *sides[Side.ASSISTANT]},
        Role.USER: set(sides[Side.USER]),
        Role.ASSISTANT: set(sides[Side.ASSISTANT]),
    }[query.said_by]
    return all(
        (
            all(not said.isdisjoint(group) for group in query.words),
            not query.kinds or memory.kind in query.kinds,
            memory.pinned or not query.pinned,
            query.since is None or time >= query.since,
            query.until is None or -math.inf < time < query.until,
            not query.conversation or query.conversation in entry.positions,
            not query.channel or query.channel == _channel(entry),
        )
    )


def _month(ts: float | None) -> str:
    try:
        return (
            NO_MONTH
            if ts is None
            else datetime.fromtimestamp(ts, UTC).astimezone().strftime("%Y-%m")
        )
    except (OverflowError, ValueError, OSError):
        return NO_MONTH


def _largest(counts: Mapping[str, int]) -> dict[str, int]:
    names = sorted(counts, key=lambda name: (-counts[name], name))
    return {name: counts[name] for name in names[:MAX_CHATS]}


def list_sessions(records: Sequence[MemoryRecord], query: SessionQuery) -> list[SessionSpan]:
    """Returns the conversations of these live records, the latest first."""
    only = ListQuery(
        kinds=frozenset([MemoryKind.EXCHANGE]),
        channel=query.channel,
        since=query.since,
        until=query.until,
    )
    talks: dict[str, list[MemoryRecord]] = {}
    for entry in _passing(_by_time(records), only):
        for name in entry.positions:
            talks.setdefault(name, []).append(entry)
    found = [_span(name, entries) for name, entries in talks.items()]
    return sorted(found, key=lambda span: (-_last_time(span), span.conversation))


def _span(name: str, oldest_first: Sequence[MemoryRecord]) -> SessionSpan:
    times = [entry.memory.ts for entry in oldest_first if entry.memory.ts is not None]
    last = times[-1] if times else None
    latest = (_channel(entry) for entry in oldest_first if entry.memory.ts == last)
    return SessionSpan(
        conversation=name,
        first=times[0] if times else None,
        last=last,
        count=len(oldest_first),
        channel=max(latest),
    )


def _last_time(span: SessionSpan) -> float:
    return -math.inf if span.last is None else span.last


def _channel(entry: MemoryRecord) -> str:
    return entry.memory.exchange.channel if entry.memory.exchange else ""
