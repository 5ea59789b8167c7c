"""Reads the events appended since the last read: all lines up to one seq, and none after it.

Another program may be writing meanwhile. An event read before the one that it refers to would be
lost, so a reader without the lock reads twice: all lines that precede one seen by the first read
are there for the second.
"""

from array import array
from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from .contract import Log
from .events import Event


class UnreadEvents:
    """Unread events in the order of their seq, reports of damaged lines, and the grown logs' ends.

    Holds only offsets and reads each event again for its batch: a million events take gigabytes.
    """

    def __init__(self, event_log: Log) -> None:
        self.problems: list[str] = []
        self.ends: dict[str, int] = {}
        self.is_complete = True
        self._event_log = event_log
        self._names: list[str] = []
        self._seqs, self._logs, self._offsets = array("q"), array("q"), array("q")

    def read_next(
        self, done: Mapping[str, int], logs: Mapping[str, int], *, last: int | None = None
    ) -> None:
        """Adds the events from the offsets in `done`, or the last read's ends, up to these sizes.

        Raises StorageFailed.
        """
        for log, size in logs.items():
            start = self.ends.get(log, done.get(log, 0))
            if size > start:
                part = self._event_log.read(log, start, last=last)
                self._seqs.extend(line.seq for line in part.events)
                self._logs.extend([len(self._names)] * len(part.events))
                self._offsets.extend(part.offsets)
                self._names.append(log)
                self.problems += part.problems
                self.ends[log] = part.end

    @property
    def last(self) -> int:
        """The highest seq; 0 if there are no events."""
        return max(self._seqs, default=0)

    def batches(self, limit: int) -> Iterator[tuple[Sequence[Event], Mapping[str, int]]]:
        """Yields up to `limit` events at a time; the logs' new offsets come with the last batch.

        Stops early and clears `is_complete` if a log was rewritten meanwhile.
        """
        order = np.argsort(self._seqs, kind="stable")
        for start in range(0, max(1, len(order)) if self.ends else 0, limit):
            part = order[start : start + limit].tolist()
            lines = self._lines(part)
            if len(lines) < len(part):
                self.is_complete = False
                return
            yield lines, self.ends if start + limit >= len(order) else {}

    def _lines(self, indices: Sequence[int]) -> list[Event]:
        wanted: dict[int, set[int]] = {}
        for index in indices:
            wanted.setdefault(self._logs[index], set()).add(self._offsets[index])
        found = {
            log: self._event_log.read_again(self._names[log], sorted(offsets))
            for log, offsets in wanted.items()
        }
        keys = ((self._logs[i], (self._offsets[i], self._seqs[i])) for i in indices)
        return [found[log][key] for log, key in keys if key in found[log]]


def read_unread(event_log: Log, done: Mapping[str, int], logs: Mapping[str, int]) -> UnreadEvents:
    """Reads the events between the byte offsets in `done` and the logs' sizes in `logs`.

    Raises StorageFailed.
    """
    found = UnreadEvents(event_log)
    found.read_next(done, logs)
    if found.last and not event_log.holds_lock:
        found.read_next(done, event_log.logs(), last=found.last)
    return found


def was_rewritten(event_log: Log, done: Mapping[str, int], logs: Mapping[str, int]) -> bool:
    """Returns whether a log was replaced since it was read up to the offsets in `done`."""
    return any(
        end > logs.get(log, 0) or (end < logs.get(log, 0) and not event_log.is_line_end(log, end))
        for log, end in done.items()
    )
