"""What the writer has to do, in order: what failed is tried again before anything newer."""

import queue
from collections import deque
from collections.abc import Callable
from contextlib import suppress

_MOST = 256

Job = Callable[[], None]


class Jobs:
    """Given by any thread. `run` does one and says whether it is done with; `lost` tells in plain
    words what is not kept.
    """

    def __init__(self, *, run: Callable[[Job], bool], lost: Callable[[str], None]) -> None:
        self._run = run
        self._lost = lost
        self._given: queue.Queue[Job] = queue.Queue(maxsize=_MOST)
        self._failed: deque[Job] = deque()

    def submit(self, job: Job) -> None:
        """Behind those given before; a full queue is told, never waited for."""
        try:
            self._given.put_nowait(job)
        except queue.Full:
            self._lost(f"more than {_MOST} writes wait: the newest is not kept")

    def do_all(self) -> None:
        """All that wait, in the caller's thread."""
        self._again()
        with suppress(queue.Empty):
            while True:
                self._do(self._given.get_nowait())

    def do_next(self, patience_s: float) -> None:
        """The next one, where one comes in time."""
        self._again()
        with suppress(queue.Empty):
            self._do(self._given.get(timeout=patience_s))

    def waiting(self) -> tuple[int, int]:
        """How many wait, and how many of those that failed before."""
        return self._given.qsize(), len(self._failed)

    def _again(self) -> None:
        """Those that failed before, up to the first that still does."""
        while self._failed and self._run(self._failed[0]):
            self._failed.popleft()

    def _do(self, job: Job) -> None:
        if self._failed or not self._run(job):
            if len(self._failed) < _MOST:
                self._failed.append(job)
            else:
                self._lost(f"{_MOST} exchanges wait: the newest is not kept")
