"""Events already in the log but not yet applied to the index."""

import threading
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from ..domain.records import content_key
from ..storage.log.event_log import AppendedEvents
from ..storage.log.events import Event, EventType
from ..storage.log.projection import MemoryRecord, apply_events

_HIDING_EVENTS = (EventType.FORGET, EventType.REMOVE)
_NOTE_EVENTS = (EventType.NOTE, EventType.REVISE, EventType.UNFORGET)
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
    """An event, and the offset where its append starts. `end` is set for the last event of one."""

    event: Event
    start: int
    end: int | None


class WriteBuffer:
    """Safe for many threads. Events stay until remove() is called for their batch."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._buffered: list[_BufferedEvent] = []

    def __len__(self) -> int:
        return len(self._buffered)

    def add(self, appended: AppendedEvents) -> None:
        last = appended.events[-1]
        new = [
            _BufferedEvent(event, appended.start, appended.end if event is last else None)
            for event in appended.events
        ]
        with self._lock:
            self._buffered += new

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
            del self._buffered[: len(batch.events)]

    def clear(self) -> None:
        with self._lock:
            self._buffered = []

    def has_only_additions(self) -> bool:
        """Returns whether the events only add exchanges, and change nothing in the store."""
        return all(event.op is EventType.ADD for event in self._events())

    def exchanges_with_keys(self, keys: Collection[str]) -> list[tuple[str, MemoryRecord]]:
        """Returns (content key, record) of the buffered exchanges with these keys."""
        found = ((key, event) for event in self._events() if (key := _key(event)) in keys)
        return [(key, apply_events([event])[event.id]) for key, event in found]

    def events_about(self, ids: Collection[str]) -> list[Event]:
        """Returns the buffered events of these memories.

        To be called before the store is read, which may apply them meanwhile. Applying an event
        twice is harmless.
        """
        return [event for event in self._events() if event.id in ids]

    def changed_ids(self) -> set[str]:
        """Returns the memories whose text the buffered events create or change."""
        return {event.id for event in self._events() if event.op not in _MARK_EVENTS}

    def changed_note_ids(self) -> set[str]:
        """Returns the memories that the events create or change, without most exchanges."""
        return {event.id for event in self._events() if event.op in _NOTE_EVENTS}

    def hidden_ids(self) -> frozenset[str]:
        """Returns the ids of forgotten or removed memories that the store still shows."""
        return frozenset(event.id for event in self._events() if event.op in _HIDING_EVENTS)

    def _events(self) -> list[Event]:
        with self._lock:
            return [entry.event for entry in self._buffered]


def _key(event: Event) -> str:
    """Returns the content key of an added exchange, otherwise an empty one."""
    if event.op is not EventType.ADD:
        return ""
    return content_key(str(event.fields.get("user", "")), str(event.fields.get("assistant", "")))
