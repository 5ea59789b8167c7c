"""Lines that are on disk and that the store does not know yet: what an append leaves for later."""

import threading
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

from ..domain.records import content_key
from ..storage.contract import MemoryStore
from ..storage.log.event_log import Reached, Run
from ..storage.log.events import Line, Op
from ..storage.log.projection import Entry, folded

_HIDING = (Op.FORGET, Op.REMOVE)
_MARKS = frozenset((Op.FORGET, Op.PIN, Op.UNPIN))  # these change no words


@dataclass(frozen=True, slots=True, kw_only=True)
class Batch:
    """Lines in the order of their seq, how far the logs have been read with them, and how far they
    must have been read before.
    """

    lines: Sequence[Line]
    starts: Mapping[str, int]
    ends: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class _Waiting:
    """A line, where its run begins and, if it is the last of that, ends, and of one that adds an
    exchange what that says, as its content key.
    """

    line: Line
    start: int
    end: int | None
    key: str


def reached(store: MemoryStore) -> Reached:
    return Reached(seq=store.reached(), ends=store.positions())


class Pending:
    """Safe for many threads. What is taken stays until done() says that the store has it."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._waiting: list[_Waiting] = []
        self._added: dict[str, list[Line]] = {}  # by what they say
        self._not_added = 0

    def __len__(self) -> int:
        return len(self._waiting)

    def add(self, run: Run) -> None:
        with self._lock:
            waiting = list(_one_by_one(run))
            self._waiting += waiting
            self._not_added += _not_added(waiting)
            for it in waiting:
                if it.key:
                    self._added.setdefault(it.key, []).append(it.line)

    def first(self, most: int) -> Batch:
        """The oldest. Of a run that is cut here the log's end comes with its last line: after a
        crash in between it is read again from its beginning.
        """
        with self._lock:
            oldest = self._waiting[:most]
        starts = {it.line.log: it.start for it in reversed(oldest)}
        ends = {it.line.log: it.end for it in oldest if it.end is not None}
        return Batch(lines=[it.line for it in oldest], starts=starts, ends=ends)

    def done(self, batch: Batch) -> None:
        with self._lock:
            gone = self._waiting[: len(batch.lines)]
            del self._waiting[: len(gone)]
            self._not_added -= _not_added(gone)
            for it in gone:
                if it.key:
                    self._drop(it)

    def clear(self) -> None:
        with self._lock:
            self._waiting, self._added, self._not_added = [], {}, 0

    def only_adds(self) -> bool:
        """Whether all that the store knows stays as it is, but that more is said."""
        return not self._not_added

    def said(self, keys: Collection[str]) -> list[tuple[str, Entry]]:
        """(content key, entry) of the exchanges that were added with these words."""
        with self._lock:
            found = [(key, line) for key in keys for line in self._added.get(key, ())]
        return [(key, folded([line])[line.id]) for key, line in found]

    def about(self, ids: Collection[str]) -> list[Line]:
        """The lines that wait and name one of these; to be taken before the store is asked, which
        may follow meanwhile: what is folded in twice is folded in once.
        """
        with self._lock:
            return [it.line for it in self._waiting if it.line.id in ids]

    def changed(self) -> set[str]:
        """The memories that may say something else, or exist at all, only by what waits."""
        with self._lock:
            return {it.line.id for it in self._waiting if it.line.op not in _MARKS}

    def _drop(self, gone: _Waiting) -> None:
        rest = [it for it in self._added.pop(gone.key, ()) if it is not gone.line]
        if rest:
            self._added[gone.key] = rest

    def hidden(self) -> frozenset[str]:
        """What the store still shows although it is forgotten, or gone from a chat."""
        with self._lock:
            return frozenset(it.line.id for it in self._waiting if it.line.op in _HIDING)


def _one_by_one(run: Run) -> Iterator[_Waiting]:
    *before, last = run.lines
    yield from (_Waiting(line, run.start, None, _key(line)) for line in before)
    yield _Waiting(last, run.start, run.end, _key(last))


def _not_added(waiting: Sequence[_Waiting]) -> int:
    return sum([not it.key for it in waiting])


def _key(line: Line) -> str:
    if line.op is not Op.ADD:
        return ""
    return content_key(str(line.fields.get("user", "")), str(line.fields.get("assistant", "")))
