"""Finds the due jobs of one namespace and runs them, one after another.

No lock is held while the model works.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from enum import Enum, auto

from ..domain.errors import (
    BadAnswer,
    ConfigError,
    LLMInterrupted,
    LLMRefused,
    LLMUnavailable,
    LongTermMemoryError,
    SourcesChanged,
    WorkerFailed,
)
from ..domain.namespaces import Namespace
from ..infra.deadlines import Interrupt, yield_to_prompts
from ..memory.derived_memories import DerivedMemories, NewDerived
from ..memory.long_term_memory import LongTermMemory
from ..memory.namespace_memory import NamespaceMemory
from ..providers.llm.base import BackgroundModel
from ..storage.job_queue import RESTS, Job, JobCounts, JobQueue, Scan
from ..storage.log.events import Event
from .audit_log import AuditLog
from .contract import Doubtful, Reflection, Replaced, Result, Task, Worker
from .job_model import AuditedJobModel, JobOptions
from .session_summaries import SessionSummaries

MOST_FAILED_IN_A_ROW = 10  # jobs, after which the model counts as unfit
_FIRST_PAUSE_S = 600.0
_LONGEST_PAUSE_S = 86_400.0
_YIELD_S = 0.1  # to prompts


class Step(Enum):
    """The outcome of one step."""

    DONE = auto()  # a job was done
    SKIPPED = auto()  # a job had nothing to do
    FAILED = auto()  # a job was put off
    NOTHING_DUE = auto()


class Runner:
    """Does the due jobs of `workers`, in their order. For one thread at a time."""

    def __init__(
        self,
        memory: LongTermMemory,
        workers: Sequence[Worker],
        model: BackgroundModel,
        *,
        options: JobOptions,
        audit: AuditLog | None,
        clock: Callable[[], float],
    ) -> None:
        self._memory = memory
        self._open_jobs = memory.shared.open_jobs
        self._workers = {worker.name: worker for worker in workers}
        self._model = model
        self._options = options
        self.audit = audit
        self._clock = clock
        self._derived = DerivedMemories(memory)

    @property
    def worker_names(self) -> list[str]:
        return list(self._workers)

    def scan(self, namespace: Namespace, interrupt: Interrupt) -> JobCounts:
        """Queues the jobs that new events make due; returns how many wait. Raises StorageError."""
        if not self._memory.has_namespace(namespace):  # deleted: it must not be created again
            return JobCounts()
        with (
            self._memory.open_namespace(namespace) as opened,
            self._open_jobs(opened.folder) as jobs,
        ):
            opened.event_log.acquire_lock()  # two programs must not do the same job
            _enqueue_due_jobs(opened, jobs, list(self._workers.values()), interrupt)
            return jobs.counts(self._clock(), self.worker_names)

    def requeue_sessions(self, namespace: Namespace, *, limit: int) -> int:
        """Queues the latest ended sessions that have a summary; returns how many.

        Raises ConfigError if the worker that summarises sessions is not among the workers.
        """
        worker = self._workers.get(SessionSummaries.name)
        if not isinstance(worker, SessionSummaries):
            message = f"consolidation.workers does not name {SessionSummaries.name}"
            raise ConfigError(message, key="consolidation.workers")
        with (
            self._memory.open_namespace(namespace) as opened,
            self._open_jobs(opened.folder) as jobs,
        ):
            keys = worker.keys_of_all(opened, self._clock(), limit)
            jobs.requeue(worker.name, keys)
        return len(keys)

    def step(self, namespace: Namespace, interrupt: Interrupt) -> Step:
        """Runs the next due job. Raises LLMUnavailable without an answer, LLMInterrupted.

        Call scan() first. Raises StorageError, too; the job then stays in the queue.
        """
        yield_to_prompts(_YIELD_S)
        if fault := str(getattr(self._model, "fault", "")):  # it is being left alone for a while
            raise LLMUnavailable(fault)
        prepared = self._prepare_next(namespace)
        if isinstance(prepared, Step):
            return prepared
        job, task = prepared
        job_model = AuditedJobModel(
            job.worker,
            task,
            model=self._model,
            options=self._options,
            interrupt=interrupt,
            audit=self.audit,
        )
        try:
            return self._run_job(namespace, job, task, job_model)
        finally:
            if self._memory.has_namespace(namespace):
                with self._jobs(namespace) as jobs:
                    jobs.add_usage(job.worker, job_model.usage)

    def run_due(
        self, namespace: Namespace, interrupt: Interrupt, *, due: int
    ) -> Iterator[tuple[Step, int]]:
        """Runs jobs until none is due, including those that other results make due.

        `due` is the number that scan() found. Yields how each job ended, and how many were found
        so far. Raises the errors of step().
        """
        done = done_at_scan = 0
        while True:
            step = self.step(namespace, interrupt)
            if step is not Step.NOTHING_DUE:
                done += step is Step.DONE
                yield step, due
            elif done == done_at_scan:
                return
            else:
                done_at_scan = done
                due += self.scan(namespace, interrupt).due

    def end_pause(self) -> None:
        """Allows calls of a model that is not called for a while after a failure."""
        try_again = getattr(self._model, "try_again", None)
        if try_again is not None:
            try_again()

    def retry_all(self, namespace: Namespace) -> None:
        """Makes jobs due that were postponed, or rest, after a failure."""
        memory = self._memory
        if memory.has_namespace(namespace) and memory.shared.has_jobs(memory.folder_of(namespace)):
            with self._jobs(namespace) as jobs:
                jobs.retry_all()

    def next_time(self, namespace: Namespace) -> float:
        """Returns the time at which a job of this namespace is due; RESTS for none."""
        if not self._memory.has_namespace(namespace):
            return RESTS
        with self._jobs(namespace) as jobs:
            return jobs.next_time(self.worker_names)

    def _prepare_next(self, namespace: Namespace) -> tuple[Job, Task] | Step:
        if not self._memory.has_namespace(namespace):
            return Step.NOTHING_DUE
        with (
            self._memory.open_namespace(namespace) as opened,
            self._open_jobs(opened.folder) as jobs,
        ):
            job = jobs.next_due(self.worker_names, self._clock())
            if job is None:
                return Step.NOTHING_DUE
            task = self._prepare(opened, jobs, job)
            if task is None or jobs.is_done(job, task.stamp):
                jobs.finish(job)
                return Step.SKIPPED
            if task.not_before > self._clock():
                jobs.wait(job, task.not_before)
                return Step.SKIPPED
            return job, task

    def _prepare(self, opened: NamespaceMemory, jobs: JobQueue, job: Job) -> Task | None:
        try:
            with _own_errors(job.worker):
                return self._workers[job.worker].prepare(opened, job.key)
        except WorkerFailed as exc:
            jobs.postpone(job, str(exc), until=self._next_try(job))
            raise

    def _run_job(
        self, namespace: Namespace, job: Job, task: Task, job_model: AuditedJobModel
    ) -> Step:
        try:
            with _own_errors(job.worker):
                results = results_of(self._workers[job.worker], task, job_model)
            if not self._memory.has_namespace(namespace):
                return Step.NOTHING_DUE
            self._store(namespace, results)
        except SourcesChanged as exc:
            self._postpone(namespace, job, str(exc))  # the change itself makes it due at once
            return Step.SKIPPED
        except LLMInterrupted:
            raise
        except (BadAnswer, LLMRefused, WorkerFailed) as exc:
            if not self._memory.has_namespace(namespace):
                return Step.NOTHING_DUE
            self._postpone(namespace, job, str(exc))
            return Step.FAILED
        except LLMUnavailable as exc:
            if not (exc.is_transient or exc.is_lasting):  # the job may be the reason
                self._postpone(namespace, job, str(exc))
            raise
        with self._jobs(namespace) as jobs:
            jobs.finish(job, task.stamp)
        return Step.DONE

    def _store(self, namespace: Namespace, results: Sequence[Result]) -> None:
        yield_to_prompts(_YIELD_S)
        new = [result for result in results if isinstance(result, NewDerived)]
        if new:
            self._derived.add_all(namespace, new)
        for result in results:
            self._store_one(namespace, result)
        if results:
            with self._memory.open_namespace(namespace) as opened:
                opened.sync_index()  # else the next prompt would wait for it

    def _store_one(self, namespace: Namespace, result: Result) -> None:
        match result:
            case Replaced(old=old, new=new, valid_to=valid_to):
                self._derived.supersede(namespace, old, new, valid_to=valid_to)
            case Doubtful(memory_id=memory_id, others=others):
                self._derived.doubt(namespace, memory_id, others)
            case Reflection():
                self._store_reflection(namespace, result)

    def _store_reflection(self, namespace: Namespace, result: Reflection) -> None:
        """Writes the new memories before the marks, which change their sources."""
        made: list[str] = []
        for update in result.updates:
            new = self._derived.add(namespace, update.new)
            for old in set(update.replaces) - {new}:
                self._derived.supersede(namespace, old, new)
            made.append(new)
        for memory_id in result.read if made else ():
            self._derived.mark_reflected(namespace, memory_id, made)

    def _postpone(self, namespace: Namespace, job: Job, reason: str) -> None:
        with self._jobs(namespace) as jobs:
            jobs.postpone(job, reason, until=self._next_try(job))

    def _next_try(self, job: Job) -> float:
        """Returns the time of the next attempt: in 10 minutes, doubling up to a day; then RESTS."""
        if job.attempts + 1 >= self._options.max_attempts:
            return RESTS
        return self._clock() + min(_LONGEST_PAUSE_S, _FIRST_PAUSE_S * 2.0 ** min(job.attempts, 10))

    @contextmanager
    def _jobs(self, namespace: Namespace) -> Iterator[JobQueue]:
        yield_to_prompts(_YIELD_S)
        with self._open_jobs(self._memory.folder_of(namespace)) as jobs:
            yield jobs


@contextmanager
def _own_errors(worker: str) -> Iterator[None]:
    """Turns errors of a worker's own code into WorkerFailed, without their messages.

    The messages may quote a memory.
    """
    try:
        yield
    except LongTermMemoryError:
        raise
    except Exception as exc:
        raise WorkerFailed(f"the worker {worker} failed with {type(exc).__name__}") from exc


def results_of(worker: Worker, task: Task, model: AuditedJobModel) -> Sequence[Result]:
    """Returns the worker's results; asks once more after a bad answer. Raises BadAnswer."""
    try:
        return _usable_results(worker, task, model)
    except BadAnswer as exc:
        model.again(str(exc))
        return _usable_results(worker, task, model)


def _usable_results(worker: Worker, task: Task, model: AuditedJobModel) -> Sequence[Result]:
    try:
        return _of_own_sources(task, worker.run(task, model))
    except BadAnswer:
        model.count_unusable()
        raise


def _of_own_sources(task: Task, results: Sequence[Result]) -> Sequence[Result]:
    """Returns the results. Raises BadAnswer if one names a memory that the job did not read."""
    for result in results:
        named = _named(result)
        if not named or not named <= task.records.keys():
            raise BadAnswer("a result names memories that the job did not read")
    return results


def _named(result: Result) -> set[str]:
    match result:
        case Replaced(old=old, new=new):
            return {old, new}
        case Doubtful(memory_id=memory_id, others=others):
            return {memory_id, *others}
        case Reflection(updates=updates, read=read):
            made_of = (name for one in updates for name in (*one.new.sources, *one.replaces))
            return {*read, *made_of}
        case NewDerived(sources=sources):
            return set(sources)


def _enqueue_due_jobs(
    opened: NamespaceMemory, jobs: JobQueue, workers: Sequence[Worker], interrupt: Interrupt
) -> None:
    """Reads the events since the last scan and adds their jobs to the queue, log by log.

    After a crash or an interrupt part of a scan is repeated, which adds no job twice. Raises
    StorageError.
    """
    opened.sync_index()
    seq = opened.query(lambda store: store.catalog.summary().last_applied_seq)
    names = [worker.name for worker in workers]
    done = jobs.scan(names)
    if done.seq == seq and seq:
        return
    for log, size in opened.event_log.logs().items():
        if interrupt.is_set():
            return
        _enqueue_log(opened, jobs, workers, done, (log, size))
    jobs.finish_scan(names, seq)


def _enqueue_log(
    opened: NamespaceMemory,
    jobs: JobQueue,
    workers: Sequence[Worker],
    done: Scan,
    log_and_size: tuple[str, int],
) -> None:
    log, size = log_and_size
    start = done.positions.get(log, 0)
    if start == size:
        return
    is_rewritten = start > size or not opened.event_log.is_line_end(log, start)
    part = opened.event_log.read(log, 0 if is_rewritten else start)
    is_first = not done.seq
    known = [event for event in part.events if is_first or event.seq <= done.seq]
    new = [event for event in part.events if not is_first and event.seq > done.seq]
    jobs.enqueue(_keys(workers, known), _keys(workers, new), log=log, position=part.end)


def _keys(workers: Sequence[Worker], events: Sequence[Event]) -> dict[str, Iterable[str]]:
    return {worker.name: worker.keys(events) for worker in workers}
