"""Finds the jobs that new events of the log make due."""

from collections.abc import Sequence

from ..infra.interruptible import Interrupt
from ..memory.namespace_memory import NamespaceMemory
from .contract import Worker
from .job_store import JobStore, Scan


def enqueue_due_jobs(
    archive: NamespaceMemory, jobs: JobStore, workers: Sequence[Worker], interrupt: Interrupt
) -> None:
    """Reads the events since the last scan and adds their jobs to the queue, log by log.

    A crash or an interrupt in between repeats part of a scan, which adds no job twice. Raises
    StorageError.
    """
    archive.sync_index()
    seq = archive.query(lambda store: store.last_applied_seq())
    names = [worker.name for worker in workers]
    done = jobs.scan(names)
    if done.seq == seq and seq:
        return
    for log, size in archive.event_log.logs().items():
        if interrupt.is_set():
            return
        _enqueue_log(archive, jobs, workers, done, (log, size))
    jobs.finish_scan(names, seq)


def _enqueue_log(
    archive: NamespaceMemory,
    jobs: JobStore,
    workers: Sequence[Worker],
    done: Scan,
    log_and_size: tuple[str, int],
) -> None:
    log, size = log_and_size
    start = done.positions.get(log, 0)
    if start == size:
        return
    is_rewritten = start > size or not archive.event_log.is_line_end(log, start)
    part = archive.event_log.read(log, 0 if is_rewritten else start)
    keys = {worker.name: worker.keys(part.events) for worker in workers}
    jobs.enqueue(keys, log=log, position=part.end, restarts=bool(start) and not is_rewritten)
