"""Finds the jobs that new events of the log make due."""

from collections.abc import Iterable, Sequence

from ..infra.deadlines import Interrupt
from ..memory.namespace_memory import NamespaceMemory
from ..storage.job_queue import JobQueue, Scan
from ..storage.log.events import Event
from .contract import Worker


def enqueue_due_jobs(
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
