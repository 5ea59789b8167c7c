"""What the writer has to do: what failed goes again before anything newer of the same owner.

An owner is whoever must not be overtaken: a namespace. What one of them waits for keeps no other
waiting.
"""

import queue
from collections import deque
from collections.abc import Callable, Hashable, Iterator
from contextlib import suppress

_MOST = 256
_MOST_FAILED = 2048

Job = Callable[[], None]
Owner = Hashable


class Jobs:
    """Given by any thread. `run` does one and says whether it is done with; `lost` tells in plain
    words what is not kept.
    """

    def __init__(self, *, run: Callable[[Owner, Job], bool], lost: Callable[[str], None]) -> None:
        self._run = run
        self._tell = lost
        self._given: queue.Queue[tuple[Owner, Job]] = queue.Queue(maxsize=_MOST)
        self._failed: dict[Owner, deque[Job]] = {}
        self.lost = 0

    def submit(self, job: Job, owner: Owner = None) -> None:
        """Behind those given before; a full queue is told, never waited for."""
        try:
            self._given.put_nowait((owner, job))
        except queue.Full:
            self._lose(f"more than {_MOST} writes wait: the newest is not kept")

    def do_all(self) -> None:
        """All that wait, in the caller's thread."""
        for owner in list(self._failed):
            self._again(owner)
        for owner, job in self._taken():
            self._do(owner, job)

    def do_next(self, patience_s: float) -> None:
        """The next one, where one comes in time, behind one owner's that failed before."""
        if self._failed:
            self._again(next(iter(self._failed)))
        with suppress(queue.Empty):
            self._do(*self._given.get(timeout=patience_s))

    def do_last(self) -> None:
        """Every one that waits, once: nobody comes back for what fails now, which is told."""
        for owner, job in self._taken():
            self._failed.setdefault(owner, deque()).append(job)
        for owner in list(self._failed):
            jobs = self._failed.pop(owner)
            while jobs:
                if not self._run(owner, jobs.popleft()):
                    self._lose("the program ends: what could not be written is not kept")

    def waiting(self) -> tuple[int, int]:
        """How many wait, and how many of those that failed before."""
        return self._given.qsize(), sum(map(len, list(self._failed.values())))

    def _taken(self) -> Iterator[tuple[Owner, Job]]:
        with suppress(queue.Empty):
            while True:
                yield self._given.get_nowait()

    def _again(self, owner: Owner) -> None:
        """Those that failed before, up to the first that still does; then it is another's turn."""
        failed = self._failed.get(owner)
        while failed and self._run(owner, failed[0]):
            with suppress(IndexError):  # the program ends, and somebody else did the last ones
                failed.popleft()
        self._failed.pop(owner, None)
        if failed:
            self._failed[owner] = failed

    def _do(self, owner: Owner, job: Job) -> None:
        if owner in self._failed or not self._run(owner, job):
            self._keep(owner, job)

    def _keep(self, owner: Owner, job: Job) -> None:
        _, waiting = self.waiting()
        if len(self._failed.get(owner, ())) < _MOST and waiting < _MOST_FAILED:
            self._failed.setdefault(owner, deque()).append(job)
        else:
            self._lose(f"{waiting} writes failed and wait: the newest is not kept")

    def _lose(self, told: str) -> None:
        self.lost += 1
        self._tell(told)
