"""The writing thread: runs one job after another, and regular duties."""

import threading
import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from ..domain.errors import OutsideServiceError, StorageError
from ..infra.deadlines import yield_to_prompts
from ..infra.durable_files import explain
from ..infra.work_queues import Job, Outcome, RetryQueue

if TYPE_CHECKING:
    from .runtime import Runtime

_TICK_S = 0.5
_PAUSE_S = 5.0
_YIELD_S = 0.1
_MAX_WAITING_TO_YIELD = 256  # jobs that wait


class PacedJob:
    """Runs the job if its last run is at least `pause_s` seconds ago. For one thread."""

    def __init__(
        self, job: Job, *, pause_s: float, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._job = job
        self._pause_s = pause_s
        self._clock = clock
        self._last_s: float | None = None

    def __call__(self) -> None:
        now = self._clock()
        if self._last_s is None or now - self._last_s >= self._pause_s:
            self._last_s = now
            self._job()


class Writer:
    """Safe for many threads; run() is for one. It runs `duties` about twice a second, and
    `closing_duties` when the program ends.
    """

    def __init__(self, reporter: "Runtime", *duties: Job) -> None:
        """Runs `duties` every few seconds, and once more when the program ends."""
        self._reporter = reporter
        self.jobs = RetryQueue(
            run=lambda owner, job: self._run_reporting(
                job, f"writing {getattr(owner, 'label', 'what was asked')}"
            ),
            lost=lambda message: reporter.report("lost", message),
        )
        self.duties: list[Job] = [PacedJob(duty, pause_s=_PAUSE_S) for duty in duties]
        self.closing_duties: list[Job] = [*duties]

    def run(self, stopping: threading.Event) -> None:
        due = 0.0
        while not stopping.is_set():
            if self.jobs.wait_for_job(max(0.0, due - time.monotonic())):
                yield_to_prompts(self._yield_s())
            self.jobs.run_next()
            if time.monotonic() >= due:
                self._run_duties(self.duties)
                due = time.monotonic() + _TICK_S

    def finish(self) -> None:
        """Tries each waiting job once more; reports those that fail again as lost."""
        self.jobs.run_each_once()
        self._run_duties(self.closing_duties)

    def _run_duties(self, duties: Sequence[Job]) -> None:
        """Runs each duty as a part of its own: the success of one clears no other's problem."""
        for number, duty in enumerate(duties):
            self._run_reporting(duty, f"watching {number}")

    def _run_reporting(self, job: Job, part: str) -> Outcome:
        """Runs the job. Reports a failure under the name `part`, which a success clears."""
        try:
            job()
        except (StorageError, OutsideServiceError) as exc:
            self._reporter.report(part, f"not remembered yet: {exc}")
            return Outcome.REFUSED
        except OSError as exc:  # a failing disk or network share, in any call
            fault = f"{exc.filename or part}: {explain(exc)}"
            self._reporter.report(part, f"not remembered yet: {fault}")
            return Outcome.REFUSED
        except Exception as exc:  # noqa: BLE001  (a bug in one job must not end all writing)
            self._reporter.report_bug("a background job failed", exc)
            return Outcome.FAULTY
        self._reporter.clear(part)
        return Outcome.DONE

    def _yield_s(self) -> float:
        """Returns the time to yield to prompts, in seconds: the more jobs wait, the shorter.

        Waiting chat states merge meanwhile. There is no delay if a prompt waits for the writer.
        """
        if self.jobs.has_priority_job:
            return 0.0
        waiting, _ = self.jobs.count_waiting()
        return _YIELD_S * max(0.0, 1.0 - waiting / _MAX_WAITING_TO_YIELD)
