"""Events already in the log but not yet applied to the index."""

import threading
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

from ..domain.records import content_key
from ..storage.log.event_log import AppendedEvents, LogPosition
from ..storage.log.events import Event, EventType
from ..storage.log.projection import MemoryRecord, apply_events
from ..storage.store import MemoryStore

_HIDING_EVENTS = (EventType.FORGET, EventType.REMOVE)
_MARK_EVENTS = frozenset((EventType.FORGET, EventType.PIN, EventType.UNPIN))  # change no text


@dataclass(frozen=True, slots=True, kw_only=True)
class BufferedBatch:
    """Events in the order of their seq, with byte offsets in their logs.

    `starts` are the offsets up to which a store must have read before, `ends` those after them.
    """

    events: Sequence[Event]
    starts: Mapping[str, int]
    ends: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class _BufferedEvent:
    """An event, and the offset where its append starts. `end` is set for the append's last event.

    `key` is the content key of an added exchange, otherwise empty.
    """

    event: Event
    start: int
    end: int | None
    key: str


def indexed_position(store: MemoryStore) -> LogPosition:
    """Returns the position in the log up to which the store has applied events."""
    return LogPosition(seq=store.catalog.summary().last_applied_seq, ends=store.positions())


class WriteBuffer:
    """Safe for many threads. Events stay until remove() is called for their batch."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._buffered: list[_BufferedEvent] = []
        self._added: dict[str, list[Event]] = {}  # by content key
        self._non_additions = 0

    def __len__(self) -> int:
        return len(self._buffered)

    def add(self, appended: AppendedEvents) -> None:
        with self._lock:
            new = list(_split(appended))
            self._buffered += new
            self._non_additions += sum(not entry.key for entry in new)
            for entry in new:
                if entry.key:
                    self._added.setdefault(entry.key, []).append(entry.event)

    def oldest(self, limit: int) -> BufferedBatch:
        """Returns a batch of the oldest events.

        If the batch ends inside an append, that log's end comes with a later batch. After a crash
        in between, the append is read again from its start.
        """
        with self._lock:
            oldest = self._buffered[:limit]
        starts = {entry.event.log: entry.start for entry in reversed(oldest)}
        ends = {entry.event.log: entry.end for entry in oldest if entry.end is not None}
        return BufferedBatch(events=[entry.event for entry in oldest], starts=starts, ends=ends)

    def remove(self, batch: BufferedBatch) -> None:
        with self._lock:
            removed = self._buffered[: len(batch.events)]
            del self._buffered[: len(removed)]
            self._non_additions -= sum(not entry.key for entry in removed)
            for entry in removed:
                if entry.key:
                    self._drop(entry)

    def clear(self) -> None:
        with self._lock:
            self._buffered, self._added, self._non_additions = [], {}, 0

    def has_only_additions(self) -> bool:
        """Returns whether the events only add exchanges, and change nothing in the store."""
        return not self._non_additions

    def exchanges_with_keys(self, keys: Collection[str]) -> list[tuple[str, MemoryRecord]]:
        """Returns (content key, record) of the buffered exchanges with these keys."""
        with self._lock:
            found = [(key, event) for key in keys for event in self._added.get(key, ())]
        return [(key, apply_events([event])[event.id]) for key, event in found]

    def events_about(self, ids: Collection[str]) -> list[Event]:
        """Returns the buffered events of these memories.

        To be called before the store is read, which may apply them meanwhile. Applying an event
        twice is harmless.
        """
        with self._lock:
            return [entry.event for entry in self._buffered if entry.event.id in ids]

    def changed_ids(self) -> set[str]:
        """Returns the memories whose text the buffered events create or change."""
        with self._lock:
            events = [entry.event for entry in self._buffered]
        return {event.id for event in events if event.op not in _MARK_EVENTS}

    def _drop(self, removed: _BufferedEvent) -> None:
        rest = [event for event in self._added.pop(removed.key, ()) if event is not removed.event]
        if rest:
            self._added[removed.key] = rest

    def hidden_ids(self) -> frozenset[str]:
        """Returns the ids of forgotten or removed memories that the store still shows."""
        with self._lock:
            events = [entry.event for entry in self._buffered]
        return frozenset(event.id for event in events if event.op in _HIDING_EVENTS)


def _split(appended: AppendedEvents) -> Iterator[_BufferedEvent]:
    *before, last = appended.events
    yield from (_BufferedEvent(event, appended.start, None, _key(event)) for event in before)
    yield _BufferedEvent(last, appended.start, appended.end, _key(last))


def _key(event: Event) -> str:
    if event.op is not EventType.ADD:
        return ""
    return content_key(str(event.fields.get("user", "")), str(event.fields.get("assistant", "")))
