"""The queue of one namespace in tables. Many programs take jobs; each job goes to one of them."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import astuple
from pathlib import Path
from typing import Any

from ..job_queue import (
    LONGEST_REASON,
    RESTS,
    CallUsage,
    Job,
    JobCounts,
    JobQueue,
    Scan,
    job_from,
    usage_from,
)
from .database import Database
from .names import stored_name

_CLAIM_S = 900.0  # longer than a model may take; a killed program blocks its job for so long
_ADD = """INSERT INTO jobs (namespace, worker, key) SELECT %s, %s, unnest(%s::text[])
    ON CONFLICT DO NOTHING"""
_ADD_OR_RESTART = """INSERT INTO jobs (namespace, worker, key) SELECT %s, %s, unnest(%s::text[])
    ON CONFLICT (namespace, worker, key) DO UPDATE SET attempts = 0, not_before = 0, reason = ''"""
_POSITION = """INSERT INTO job_positions VALUES (%s, %s, %s)
    ON CONFLICT (namespace, log) DO UPDATE SET position = EXCLUDED.position"""
_SCANNED = """INSERT INTO job_scans VALUES (%s, %s, %s)
    ON CONFLICT (namespace) DO UPDATE SET workers = EXCLUDED.workers, seq = EXCLUDED.seq"""
_CLAIM = """UPDATE jobs SET claimed_by = %(program)s,
    claimed_until = clock_timestamp() + %(seconds)s * interval '1 second'
    WHERE namespace = %(namespace)s AND worker = %(worker)s AND number = (
      SELECT number FROM jobs
      WHERE namespace = %(namespace)s AND worker = %(worker)s AND not_before <= %(now)s
      AND (claimed_until <= clock_timestamp() OR claimed_by = %(program)s)
      ORDER BY number LIMIT 1 FOR UPDATE SKIP LOCKED)
    RETURNING number, worker, key, attempts, reason"""
_NEXT_TIME = "SELECT min(not_before) FROM jobs WHERE namespace = %s AND worker = ANY(%s)"
_IS_DONE = (
    "SELECT 1 FROM jobs_done WHERE namespace = %s AND worker = %s AND key = %s AND stamp = %s"
)
_REMOVE = "DELETE FROM jobs WHERE namespace = %s AND number = %s"
_DONE = """INSERT INTO jobs_done VALUES (%s, %s, %s, %s)
    ON CONFLICT (namespace, worker, key) DO UPDATE SET stamp = EXCLUDED.stamp"""
_NOT_DONE = "DELETE FROM jobs_done WHERE namespace = %s AND worker = %s AND key = ANY(%s)"
_POSTPONE = """UPDATE jobs SET attempts = %s, reason = %s, not_before = %s,
    claimed_by = '', claimed_until = '-infinity' WHERE namespace = %s AND number = %s"""
_WAIT = """UPDATE jobs SET not_before = %s, claimed_by = '', claimed_until = '-infinity'
    WHERE namespace = %s AND number = %s"""
_RETRY = "UPDATE jobs SET attempts = 0, not_before = 0 WHERE namespace = %s AND attempts > 0"
_COUNTS = """SELECT count(*) FILTER (WHERE not_before <= %(now)s),
    count(*) FILTER (WHERE not_before > %(now)s AND attempts = 0),
    count(*) FILTER (WHERE not_before > %(now)s AND not_before < %(rests)s AND attempts > 0),
    count(*) FILTER (WHERE not_before = %(rests)s)
    FROM jobs WHERE namespace = %(namespace)s AND (%(is_all)s OR worker = ANY(%(workers)s))"""
_REASONS = """SELECT reason FROM jobs WHERE namespace = %s AND reason <> ''
    GROUP BY reason ORDER BY count(*) DESC LIMIT 3"""
_USAGE = """SELECT worker, calls, failures, prompt_tokens, completion_tokens, ms
    FROM job_usage WHERE namespace = %s"""
_ADD_USAGE = """INSERT INTO job_usage AS used VALUES (%s, %s, %s, %s, %s, %s, %s)
    ON CONFLICT (namespace, worker) DO UPDATE SET calls = used.calls + EXCLUDED.calls,
    failures = used.failures + EXCLUDED.failures,
    prompt_tokens = used.prompt_tokens + EXCLUDED.prompt_tokens,
    completion_tokens = used.completion_tokens + EXCLUDED.completion_tokens,
    ms = used.ms + EXCLUDED.ms"""


class TableJobs:
    """Implements JobQueue. `program` names this process among those that take jobs."""

    def __init__(self, database: Database, namespace: str, program: str) -> None:
        self._database = database
        self._namespace = stored_name(namespace)
        self._program = program

    def scan(self, workers: Sequence[str]) -> Scan:
        with self._database.snapshot(self._namespace) as connection:
            own = [self._namespace]
            query = "SELECT workers, seq FROM job_scans WHERE namespace = %s"
            found = connection.execute(query, own).fetchone()
            if found is None or not set(workers) <= set(json.loads(found[0])):
                return Scan()
            query = "SELECT log, position FROM job_positions WHERE namespace = %s"
            return Scan(seq=found[1], positions=dict(connection.execute(query, own).fetchall()))

    def enqueue(
        self,
        known: Mapping[str, Iterable[str]],
        new: Mapping[str, Iterable[str]],
        *,
        log: str,
        position: int,
    ) -> None:
        with self._database.transaction(self._namespace) as connection:
            for statement, keys in ((_ADD, known), (_ADD_OR_RESTART, new)):
                for worker, own in keys.items():
                    connection.execute(statement, [self._namespace, worker, _distinct(own)])
            connection.execute(_POSITION, [self._namespace, log, position])

    def finish_scan(self, workers: Sequence[str], seq: int) -> None:
        self._execute(_SCANNED, self._namespace, json.dumps(sorted(workers)), seq)

    def next_due(self, workers: Sequence[str], now: float) -> Job | None:
        for worker in workers:
            values = {"program": self._program, "seconds": _CLAIM_S, "now": now, "worker": worker}
            with self._database.connection(self._namespace) as connection:
                row = connection.execute(
                    _CLAIM, {**values, "namespace": self._namespace}
                ).fetchone()
            if row:
                return job_from(row)
        return None

    def next_time(self, workers: Sequence[str]) -> float:
        ((earliest,),) = self._rows(_NEXT_TIME, list(workers))
        return RESTS if earliest is None else float(earliest)

    def is_done(self, job: Job, stamp: str) -> bool:
        return bool(self._rows(_IS_DONE, job.worker, job.key, stamp))

    def finish(self, job: Job, stamp: str = "") -> None:
        with self._database.transaction(self._namespace) as connection:
            connection.execute(_REMOVE, [self._namespace, job.number])
            if stamp:
                connection.execute(_DONE, [self._namespace, job.worker, job.key, stamp])

    def postpone(self, job: Job, reason: str, *, until: float) -> None:
        shortened = reason[:LONGEST_REASON].replace("\0", "").encode("utf-8", "replace").decode()
        self._execute(_POSTPONE, job.attempts + 1, shortened, until, self._namespace, job.number)

    def wait(self, job: Job, until: float) -> None:
        self._execute(_WAIT, until, self._namespace, job.number)

    def requeue(self, worker: str, keys: Iterable[str]) -> None:
        own = _distinct(keys)
        with self._database.transaction(self._namespace) as connection:
            connection.execute(_NOT_DONE, [self._namespace, worker, own])
            connection.execute(_ADD_OR_RESTART, [self._namespace, worker, own])

    def retry_all(self) -> int:
        with self._database.connection(self._namespace) as connection:
            return connection.execute(_RETRY, [self._namespace]).rowcount

    def counts(self, now: float, workers: Sequence[str] = ()) -> JobCounts:
        values = {"now": now, "rests": RESTS, "is_all": not workers, "workers": list(workers)}
        with self._database.connection(self._namespace) as connection:
            asked = connection.execute(_COUNTS, {**values, "namespace": self._namespace})
            due, waiting, later, resting = asked.fetchone()
        reasons = tuple(reason for (reason,) in self._rows(_REASONS))
        return JobCounts(due=due, waiting=waiting, later=later, resting=resting, reasons=reasons)

    def add_usage(self, worker: str, usage: CallUsage) -> None:
        self._execute(_ADD_USAGE, self._namespace, worker, *astuple(usage))

    def usage(self) -> dict[str, CallUsage]:
        return usage_from(self._rows(_USAGE))

    def _execute(self, query: str, *values: object) -> None:
        with self._database.connection(self._namespace) as connection:
            connection.execute(query, values)

    def _rows(self, query: str, *values: object) -> list[tuple[Any, ...]]:
        """Returns the rows of a query whose first value is the namespace."""
        return self._database.rows(self._namespace, query, self._namespace, *values)


@contextmanager
def open_table_jobs(
    database: Database, root: Path, program: str, folder: Path
) -> Iterator[JobQueue]:
    """Opens the queue of the namespace in `folder` below `root`. Its calls raise StorageFailed."""
    yield TableJobs(database, folder.relative_to(root).as_posix(), program)


def _distinct(keys: Iterable[str]) -> list[str]:
    return list(dict.fromkeys(keys))
