"""Consolidation in a running program: works in a thread of its own while nobody chats."""

import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future, wait
from contextlib import suppress

from ..config.schema import Settings
from ..domain.errors import (
    ConfigError,
    LLMInterrupted,
    LLMUnavailable,
    LongTermMemoryError,
    StorageError,
    StorageLocked,
)
from ..domain.namespaces import Namespace
from ..infra.deadlines import Interrupt, seconds_since_prompt, start_in_thread
from ..memory.runtime import Runtime
from .assembly import build_runner
from .registry import build_workers
from .runner import MOST_FAILED_IN_A_ROW, Runner, Step
from .status import WorkState, WorkStatus, queue_status

PART = "consolidation"
_JOBS_A_TURN = 20  # of one namespace, before the next one
_CLOSING_S = 5.0
_POLL_S = 0.05
_WAITS = "background work on the memories waits"
_UNUSABLE = "most of its answers could not be used"
_UNFIT_S = 3_600.0  # pause of a model whose answers cannot be used
_UNFIT = (
    f"{MOST_FAILED_IN_A_ROW} jobs in a row failed; Settings and health names the reasons. The "
    "model may be too small or too slow for them. The work goes on in an hour, or at once with "
    "Work now"
)


class Consolidation:
    """Works in the idle rounds of a runtime, and stops when somebody sends a message.

    `idle_s` returns the seconds since somebody last used the program. A pause lasts until resume()
    or the program's end, unlike the setting consolidation.enabled.
    """

    def __init__(
        self, runtime: Runtime, idle_s: Callable[[], float] = seconds_since_prompt
    ) -> None:
        self._runtime = runtime
        self._idle_s = idle_s
        self._paused = threading.Event()
        self._lock = threading.Lock()
        self._running: Future[None] | None = None
        # Of namespaces with nothing left to do: when written to last, and when a job is due.
        self._finished: dict[Namespace, tuple[float, float]] = {}
        self._failed_in_a_row = 0
        self._rests_until = 0.0
        self._is_retrying = False
        self._asks_by = _model_settings(runtime.settings)
        runtime.add_idle_duty(self.start_if_idle)
        runtime.add_closing_duty(self.close)
        runtime.on_reloaded(self._follow_settings)

    @property
    def is_paused(self) -> bool:
        return self._paused.is_set()

    @property
    def is_running(self) -> bool:
        return self._running is not None and not self._running.done()

    def pause(self) -> None:
        """Stops the current job, which stays in the queue, and starts no other."""
        self._paused.set()

    def resume(self) -> None:
        self._paused.clear()

    def run_now(self) -> bool:
        """Starts at once, even while somebody chats. Returns whether it could start.

        It cannot without a model, or while the host has not loaded its own.
        Ends the pause of a failing model, and makes failed jobs due again.
        """
        self._paused.clear()
        self._reset()
        self._is_retrying = True
        return self._start()

    def start_if_idle(self) -> None:
        """Starts if it is switched on, and nobody has used the program for long enough."""
        is_wanted = self._runtime.settings.consolidation.enabled and not self.is_paused
        if is_wanted and not self._is_resting and self._is_loaded and not self.missing_quiet_s():
            self._start()

    @property
    def quiet_s(self) -> float:
        """Returns for how many seconds nobody may have used the program."""
        settings = self._runtime.settings
        needed = settings.consolidation.quiet_s
        is_host = settings.llm.kind == "host"
        return max(needed, settings.llm.idle_minutes * 60) if is_host else needed

    def missing_quiet_s(self) -> float:
        """Returns for how many more seconds nobody may use the program."""
        return max(0.0, self.quiet_s - self._idle_s())

    @property
    def _is_loaded(self) -> bool:
        """Returns False for a model of the host that the host has not loaded."""
        return bool(getattr(self._runtime.models.background, "is_loaded", True))

    def close(self) -> None:
        """Stops, and waits until no job writes any more."""
        self._paused.set()
        self.wait(_CLOSING_S)

    def wait(self, timeout: float) -> None:
        """Waits for the end of the current work, at most this many seconds."""
        if self._running is not None:
            wait([self._running], timeout=timeout)

    def status(self, namespace: Namespace) -> WorkStatus:
        """Returns the state of the work, with one namespace's queue. Raises StorageFailed."""
        memory = self._runtime.memory
        if not memory.has_namespace(namespace):
            return WorkStatus(state=self.state())
        with memory.open_namespace(namespace) as opened:
            last_seq = opened.query(lambda store: store.catalog.summary().last_applied_seq)
        return queue_status(
            memory.shared,
            memory.folder_of(namespace),
            self.state(),
            now=self._runtime.clock(),
            workers=self._worker_names(),
            last_seq=last_seq,
        )

    def fault(self) -> str:
        """Returns why the model is left alone for a while, or an empty text."""
        fault = str(getattr(self._runtime.models.background, "fault", ""))
        return fault or (_UNUSABLE if self._is_resting else "")

    def _worker_names(self) -> list[str]:
        """Returns the names of the workers; none if the settings name an unknown one."""
        with suppress(ConfigError):  # reported when the work begins
            workers = build_workers(self._runtime.settings, self._runtime.models.prompts)
            return [worker.name for worker in workers]
        return []

    def state(self) -> WorkState:
        """Returns the current state of the work."""
        model = self._runtime.models.background
        if self.is_running:
            return WorkState.WORKING
        if not self._runtime.settings.consolidation.enabled:
            return WorkState.OFF
        if model is None:
            return WorkState.NO_MODEL
        if self.is_paused:
            return WorkState.PAUSED
        if not self._is_loaded:
            return WorkState.NOT_LOADED
        return WorkState.LEFT_ALONE if self.fault() else WorkState.WAITING

    @property
    def _is_resting(self) -> bool:
        """Returns whether the model rests. A clock that was set back does not prolong it."""
        return 0.0 < self._rests_until - self._runtime.clock() <= _UNFIT_S

    def _reset(self) -> None:
        """Forgets the finished namespaces and the model's failures."""
        self._finished.clear()
        self._failed_in_a_row, self._rests_until = 0, 0.0

    def _follow_settings(self) -> None:
        """Makes failed jobs due again if the model is another one, or is asked otherwise."""
        self._reset()
        before, self._asks_by = self._asks_by, _model_settings(self._runtime.settings)
        if before != self._asks_by:
            self._is_retrying = True

    def _start(self) -> bool:
        with self._lock:
            model = self._runtime.models.background
            if self.is_running or self._runtime.is_stopping():
                return False
            if model is None or not self._is_loaded:
                return False
            self._running = start_in_thread(self._work)
            return True

    def _work(self) -> None:
        interrupt = _Activity(self._runtime, self._idle_s, self._paused)
        try:
            self._run_all(interrupt)
        except ConfigError as exc:
            self._runtime.report(PART, str(exc))
        except Exception as exc:  # noqa: BLE001  (as with every job)
            self._runtime.report_bug("background work with the language model failed", exc)

    def _run_all(self, interrupt: Interrupt) -> None:
        runner = build_runner(
            self._runtime.memory,
            self._runtime.settings,
            self._runtime.models,
            home=self._runtime.installation,
            clock=self._runtime.clock,
        )
        if self._is_retrying:
            self._end_pauses(runner)
        problems = list(self._run_turns(runner, interrupt))
        if runner.audit is not None and runner.audit.fault:
            problems.append(runner.audit.fault)
        if problems or not interrupt.is_set():  # an interrupted round says nothing about the model
            self._runtime.report_all(PART, list(dict.fromkeys(problems)))

    def _run_turns(self, runner: Runner, interrupt: Interrupt) -> Iterator[str]:
        """Gives each namespace its turn until nothing is due. Yields the problems."""
        waiting = [space for space in self._runtime.memory.namespaces() if self._needs_run(space)]
        while waiting:
            space = waiting.pop(0)
            try:
                if self._take_turn(runner, space, interrupt):
                    waiting.append(space)
            except LLMInterrupted:
                return
            except LLMUnavailable as exc:
                yield f"{_WAITS}: {exc}"
                return
            except StorageLocked:
                continue  # the program that writes there does the work
            except (LongTermMemoryError, OSError) as exc:
                yield f"{space.label}: {_WAITS}: {exc}"
            if interrupt.is_set():
                return

    def _end_pauses(self, runner: Runner) -> None:
        """Ends the pauses of the model and of the jobs that failed."""
        self._is_retrying = False
        self._reset()  # again: the last round may have ended since
        runner.end_pause()
        for space in self._runtime.memory.namespaces():
            with suppress(StorageError):  # reported when its jobs run
                runner.retry_all(space)

    def _take_turn(self, runner: Runner, space: Namespace, interrupt: Interrupt) -> bool:
        """Runs some jobs of one namespace. Returns whether more are due."""
        written_at = self._written_at(space)
        runner.scan(space, interrupt)
        for _ in range(_JOBS_A_TURN):
            if interrupt.is_set():
                return False
            step = runner.step(space, interrupt)
            self._count_failures(step)
            if step is Step.NOTHING_DUE:
                self._finished[space] = written_at, runner.next_time(space)
                return False
            if step is Step.DONE:
                self._runtime.schedule(space)  # embeds the new memories
        return True

    def _count_failures(self, step: Step) -> None:
        """Raises LLMUnavailable once too many jobs in a row have failed."""
        if step is Step.DONE:
            self._failed_in_a_row = 0
        elif step is Step.FAILED:
            self._failed_in_a_row += 1
            if self._failed_in_a_row >= MOST_FAILED_IN_A_ROW:
                self._rests_until = self._runtime.clock() + _UNFIT_S
                raise LLMUnavailable(_UNFIT)

    def _needs_run(self, space: Namespace) -> bool:
        """Returns whether the namespace has changed since its last run, or a failed job is due."""
        written_at, next_time = self._finished.get(space, (0.0, 0.0))
        return next_time <= self._runtime.clock() or self._written_at(space) != written_at

    def _written_at(self, space: Namespace) -> float:
        return self._runtime.memory.shared.namespaces.last_written_at(space)


def _model_settings(settings: Settings) -> tuple[object, ...]:
    """Returns the settings of which another value may end the failures of jobs."""
    return settings.llm, settings.consolidation.max_tokens


class _Activity:
    """An interrupt that is set once somebody uses the program, pauses the work or ends it."""

    def __init__(
        self, runtime: Runtime, idle_s: Callable[[], float], paused: threading.Event
    ) -> None:
        self._runtime = runtime
        self._idle_s = idle_s
        self._paused = paused
        self._began = time.monotonic()

    def is_set(self) -> bool:
        if self._paused.is_set() or self._runtime.is_stopping():
            return True
        since_began = time.monotonic() - self._began  # read first, or a pause here looks like use
        return self._idle_s() < since_began

    def wait(self, timeout: float) -> bool:
        end = time.monotonic() + timeout
        while not self.is_set():
            left = end - time.monotonic()
            if left <= 0:
                return False
            time.sleep(min(_POLL_S, left))
        return True
