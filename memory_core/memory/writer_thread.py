"""Runs the writing thread: one job after another, and twice a second its regular checks."""

import threading
import time
from typing import Protocol

from ..domain.errors import OutsideServiceError, StorageError
from ..infra.deadlines import yield_to_prompts
from ..infra.retry_queue import Job, Outcome, Owner, RetryQueue


class Reporter(Protocol):
    """Shows what is wrong until it is over."""

    def report(self, part: str, problem: str) -> None: ...

    def clear(self, part: str) -> None: ...

    def report_bug(self, what: str, exc: Exception) -> None: ...


def run_reporting_faults(job: Job, part: str, reporter: Reporter) -> Outcome:
    """Runs the job. `part` says whose it is, and so does the report where it fails."""
    try:
        job()
    except (StorageError, OutsideServiceError) as exc:
        reporter.report(part, f"not remembered yet: {exc}")
        return Outcome.REFUSED
    except OSError as exc:  # a disk or a share in trouble, whichever call met it
        reporter.report(part, f"not remembered yet: {_describe_system_error(exc, part)}")
        return Outcome.REFUSED
    except Exception as exc:  # noqa: BLE001  (a bug in one job must not end all writing)
        reporter.report_bug("a background job failed", exc)
        return Outcome.FAULTY
    reporter.clear(part)
    return Outcome.DONE


def _describe_system_error(exc: OSError, part: str) -> str:
    """Returns the file at fault, or else the part of the work, and the reason."""
    return f"{exc.filename or part}: {exc.strerror or type(exc).__name__}"


_TICK_S = 0.5
_YIELD_S = 0.1
_NO_YIELD_FROM = 256  # jobs that wait


class Writer:
    """Safe for many threads; run() is for one."""

    def __init__(self, reporter: Reporter) -> None:
        self._reporter = reporter
        self.jobs = RetryQueue(run=self._attempt, lost=lambda told: reporter.report("lost", told))
        self._duties: list[Job] = []
        self._last_duties: list[Job] = []

    def add_tick_duty(self, duty: Job) -> None:
        self._duties.append(duty)

    def add_closing_duty(self, duty: Job) -> None:
        self._last_duties.append(duty)

    def run(self, stopping: threading.Event) -> None:
        due = 0.0
        while not stopping.is_set():
            if self.jobs.wait_for_job(max(0.0, due - time.monotonic())):
                yield_to_prompts(self._patience_s())
            self.jobs.run_next()
            if time.monotonic() >= due:
                for duty in self._duties:
                    run_reporting_faults(duty, "watching", self._reporter)
                due = time.monotonic() + _TICK_S

    def finish(self) -> None:
        """Tries what waits once more; what cannot be written even now is told as lost."""
        self.jobs.run_each_once()
        for duty in self._last_duties:
            run_reporting_faults(duty, "watching", self._reporter)

    def _attempt(self, owner: Owner, job: Job) -> Outcome:
        whose = getattr(owner, "label", "what was asked")
        return run_reporting_faults(job, f"writing {whose}", self._reporter)

    def _patience_s(self) -> float:
        """With prompts that are being built: chats go first until much waits, since their states
        are merged meanwhile. A prompt that waits for the writer itself is not waited for.
        """
        if self.jobs.has_priority_job:
            return 0.0
        waiting, _ = self.jobs.count_waiting()
        return _YIELD_S * max(0.0, 1.0 - waiting / _NO_YIELD_FROM)
