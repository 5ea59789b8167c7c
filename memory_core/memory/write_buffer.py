"""Lines that are on disk and that the store does not know yet: what an append leaves for later."""

import threading
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

from ..domain.records import content_key
from ..storage.contract import MemoryStore
from ..storage.log.event_log import AppendedEvents, LogPosition
from ..storage.log.events import Event, EventType
from ..storage.log.projection import MemoryRecord, apply_events

_HIDING_EVENTS = (EventType.FORGET, EventType.REMOVE)
_MARK_EVENTS = frozenset(
    (EventType.FORGET, EventType.PIN, EventType.UNPIN)
)  # these change no words


@dataclass(frozen=True, slots=True, kw_only=True)
class BufferedBatch:
    """Lines in the order of their seq, how far the logs have been read with them, and how far they
    must have been read before.
    """

    events: Sequence[Event]
    starts: Mapping[str, int]
    ends: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class _BufferedEvent:
    """A line, where its run begins and, if it is the last of that, ends, and of one that adds an
    exchange what that says, as its content key.
    """

    event: Event
    start: int
    end: int | None
    key: str


def indexed_position(store: MemoryStore) -> LogPosition:
    return LogPosition(seq=store.last_applied_seq(), ends=store.positions())


class WriteBuffer:
    """Safe for many threads. What is taken stays until done() says that the store has it."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._buffered: list[_BufferedEvent] = []
        self._added: dict[str, list[Event]] = {}  # by what they say
        self._non_additions = 0

    def __len__(self) -> int:
        return len(self._buffered)

    def add(self, run: AppendedEvents) -> None:
        with self._lock:
            waiting = list(_split_run(run))
            self._buffered += waiting
            self._non_additions += _count_non_additions(waiting)
            for it in waiting:
                if it.key:
                    self._added.setdefault(it.key, []).append(it.event)

    def oldest(self, most: int) -> BufferedBatch:
        """The oldest. Of a run that is cut here the log's end comes with its last line: after a
        crash in between it is read again from its beginning.
        """
        with self._lock:
            oldest = self._buffered[:most]
        starts = {it.event.log: it.start for it in reversed(oldest)}
        ends = {it.event.log: it.end for it in oldest if it.end is not None}
        return BufferedBatch(events=[it.event for it in oldest], starts=starts, ends=ends)

    def remove(self, batch: BufferedBatch) -> None:
        with self._lock:
            gone = self._buffered[: len(batch.events)]
            del self._buffered[: len(gone)]
            self._non_additions -= _count_non_additions(gone)
            for it in gone:
                if it.key:
                    self._drop(it)

    def clear(self) -> None:
        with self._lock:
            self._buffered, self._added, self._non_additions = [], {}, 0

    def has_only_additions(self) -> bool:
        """Whether all that the store knows stays as it is, but that more is said."""
        return not self._non_additions

    def exchanges_with_keys(self, keys: Collection[str]) -> list[tuple[str, MemoryRecord]]:
        """(content key, entry) of the exchanges that were added with these words."""
        with self._lock:
            found = [(key, line) for key in keys for line in self._added.get(key, ())]
        return [(key, apply_events([line])[line.id]) for key, line in found]

    def events_about(self, ids: Collection[str]) -> list[Event]:
        """The lines that wait and name one of these; to be taken before the store is asked, which
        may follow meanwhile: what is folded in twice is folded in once.
        """
        with self._lock:
            return [it.event for it in self._buffered if it.event.id in ids]

    def changed_ids(self) -> set[str]:
        """The memories that may say something else, or exist at all, only by what waits."""
        with self._lock:
            return {it.event.id for it in self._buffered if it.event.op not in _MARK_EVENTS}

    def _drop(self, gone: _BufferedEvent) -> None:
        rest = [it for it in self._added.pop(gone.key, ()) if it is not gone.event]
        if rest:
            self._added[gone.key] = rest

    def hidden_ids(self) -> frozenset[str]:
        """What the store still shows although it is forgotten, or gone from a chat."""
        with self._lock:
            return frozenset(it.event.id for it in self._buffered if it.event.op in _HIDING_EVENTS)


def _split_run(run: AppendedEvents) -> Iterator[_BufferedEvent]:
    *before, last = run.events
    yield from (_BufferedEvent(line, run.start, None, _key(line)) for line in before)
    yield _BufferedEvent(last, run.start, run.end, _key(last))


def _count_non_additions(waiting: Sequence[_BufferedEvent]) -> int:
    return sum([not it.key for it in waiting])


def _key(line: Event) -> str:
    if line.op is not EventType.ADD:
        return ""
    return content_key(str(line.fields.get("user", "")), str(line.fields.get("assistant", "")))
