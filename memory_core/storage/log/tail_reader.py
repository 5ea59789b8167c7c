"""What was written behind where the logs were read last: all lines up to one seq, and none after.

Another program may be writing meanwhile. A line that was read before the one that it speaks of
would be passed over, so who cannot keep others from writing looks twice: whatever came before a
line that was seen at the first look is there at the second.
"""

from array import array
from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from .event_log import EventLog
from .events import Event


class UnreadEvents:
    """Lines in the order of their seq, reports of damaged ones, and for each log that grew the
    offset behind.

    It knows where each line stands, and reads it once more when its turn comes: a million lines
    would take gigabytes.
    """

    def __init__(self, transcript: EventLog) -> None:
        self.problems: list[str] = []
        self.ends: dict[str, int] = {}
        self.is_complete = True
        self._transcript = transcript
        self._names: list[str] = []
        self._seqs, self._logs, self._offsets = array("q"), array("q"), array("q")

    def read_next(
        self, done: Mapping[str, int], logs: Mapping[str, int], *, last: int | None = None
    ) -> None:
        """What lies behind these offsets, or behind what was taken before, in logs of this size."""
        for log, size in logs.items():
            start = self.ends.get(log, done.get(log, 0))
            if size > start:
                part = self._transcript.read(log, start, last=last)
                self._seqs.extend(line.seq for line in part.events)
                self._logs.extend([len(self._names)] * len(part.events))
                self._offsets.extend(part.offsets)
                self._names.append(log)
                self.problems += part.problems
                self.ends[log] = part.end

    @property
    def last(self) -> int:
        """The highest seq; 0 where there are no lines."""
        return max(self._seqs, default=0)

    def batches(self, most: int) -> Iterator[tuple[Sequence[Event], Mapping[str, int]]]:
        """So many lines at a time; the offsets come with the last of them. It ends before, and
        `is_whole` holds no longer, where a log is another one by now.
        """
        order = np.argsort(self._seqs, kind="stable")
        for at in range(0, max(1, len(order)) if self.ends else 0, most):
            part = order[at : at + most].tolist()
            lines = self._lines(part)
            if len(lines) < len(part):
                self.is_complete = False
                return
            yield lines, self.ends if at + most >= len(order) else {}

    def _lines(self, which: Sequence[int]) -> list[Event]:
        wanted: dict[int, set[int]] = {}
        for at in which:
            wanted.setdefault(self._logs[at], set()).add(self._offsets[at])
        found = {
            log: self._transcript.read_again(self._names[log], sorted(offsets))
            for log, offsets in wanted.items()
        }
        places = ((self._logs[at], (self._offsets[at], self._seqs[at])) for at in which)
        return [found[log][place] for log, place in places if place in found[log]]


def read_unread(
    transcript: EventLog, done: Mapping[str, int], logs: Mapping[str, int]
) -> UnreadEvents:
    """`done` says for each log the byte up to which it is known, `logs` how large it was a moment
    ago. Raises StorageFailed.
    """
    found = UnreadEvents(transcript)
    found.read_next(done, logs)
    if found.last and not transcript.holds_lock:
        found.read_next(done, transcript.logs(), last=found.last)
    return found


def was_rewritten(transcript: EventLog, done: Mapping[str, int], logs: Mapping[str, int]) -> bool:
    """Whether a log is another one than what was read of it."""
    return any(
        end > logs.get(log, 0) or (end < logs.get(log, 0) and not transcript.is_line_end(log, end))
        for log, end in done.items()
    )
