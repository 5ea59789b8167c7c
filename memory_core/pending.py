"""Lines that are on disk and that the store does not know yet: what an append leaves for later."""

import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from .stores.base import MemoryStore
from .transcript.entries import Entry, folded
from .transcript.lines import Line, Op
from .transcript.transcript import Reached, Run

_HIDING = (Op.FORGET, Op.REMOVE)
_ALONE = frozenset((Op.FORGET, Op.PIN, Op.UNPIN))  # these change no memory but the one they name


@dataclass(frozen=True, slots=True, kw_only=True)
class Batch:
    """Lines in the order of their seq, and how far the logs have been read with them."""

    lines: Sequence[Line]
    ends: Mapping[str, int]


def reached(store: MemoryStore) -> Reached:
    return Reached(seq=store.reached(), ends=store.positions())


class Pending:
    """Safe for many threads. What is taken stays until done() says that the store has it."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._lines: list[Line] = []
        self._ends: list[tuple[str, int]] = []
        self._others = 0

    def __len__(self) -> int:
        return len(self._lines)

    def add(self, run: Run) -> None:
        with self._lock:
            self._lines += run.lines
            self._others += _others(run.lines)
            self._ends += [(run.log, 0)] * (len(run.lines) - 1) + [(run.log, run.end)]

    def first(self, most: int) -> Batch:
        """The oldest, whole runs where more than one line was written at once."""
        with self._lock:
            lines = self._lines[:most]
            ends = {log: end for log, end in self._ends[:most] if end}
            return Batch(lines=lines, ends=ends)

    def done(self, batch: Batch) -> None:
        with self._lock:
            self._others -= _others(batch.lines)
            del self._lines[: len(batch.lines)]
            del self._ends[: len(batch.lines)]

    def clear(self) -> None:
        with self._lock:
            self._lines, self._ends, self._others = [], [], 0

    def changes_only_what_it_names(self) -> bool:
        """Whether an entry as the store has it is right again once its own lines are folded in."""
        with self._lock:
            return not self._others

    def folded(self, entries: Mapping[str, Entry]) -> dict[str, Entry]:
        """These entries as they are after the lines that wait."""
        with self._lock:
            waiting = [line for line in self._lines if line.id in entries]
        return folded(waiting, entries)

    def hidden(self) -> frozenset[str]:
        """What the store still shows although it is forgotten, or gone from a chat."""
        with self._lock:
            return frozenset(line.id for line in self._lines if line.op in _HIDING)


def _others(lines: Sequence[Line]) -> int:
    return sum(line.op not in _ALONE for line in lines)
