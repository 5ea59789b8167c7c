"""Runs the writing thread: one job after another, and twice a second its regular checks."""

import threading
import time

from ..infra.deadlines import give_way
from ..infra.job_attempts import Reporter, attempt
from ..infra.retry_queue import Job, Jobs, Outcome, Owner

_TICK_S = 0.5
_GIVES_WAY_S = 0.1
_HURRIES_FROM = 256  # jobs that wait


class Writer:
    """Safe for many threads; run() is for one."""

    def __init__(self, reporter: Reporter) -> None:
        self._reporter = reporter
        self.jobs = Jobs(run=self._attempt, lost=lambda told: reporter.report("lost", told))
        self._duties: list[Job] = []
        self._last_duties: list[Job] = []

    def every_tick(self, duty: Job) -> None:
        self._duties.append(duty)

    def at_close(self, duty: Job) -> None:
        self._last_duties.append(duty)

    def run(self, stopping: threading.Event) -> None:
        due = 0.0
        while not stopping.is_set():
            if self.jobs.wait(max(0.0, due - time.monotonic())):
                give_way(self._patience_s())
            self.jobs.do_next()
            if time.monotonic() >= due:
                for duty in self._duties:
                    attempt(duty, "watching", self._reporter)
                due = time.monotonic() + _TICK_S

    def finish(self) -> None:
        """Tries what waits once more; what cannot be written even now is told as lost."""
        self.jobs.do_last()
        for duty in self._last_duties:
            attempt(duty, "watching", self._reporter)

    def _attempt(self, owner: Owner, job: Job) -> Outcome:
        whose = getattr(owner, "label", "what was asked")
        return attempt(job, f"writing {whose}", self._reporter)

    def _patience_s(self) -> float:
        """With prompts that are being built: chats go first until much waits, since their states
        are merged meanwhile. A prompt that waits for the writer itself is not waited for.
        """
        if self.jobs.is_hastened:
            return 0.0
        waiting, _ = self.jobs.waiting()
        return _GIVES_WAY_S * max(0.0, 1.0 - waiting / _HURRIES_FROM)
