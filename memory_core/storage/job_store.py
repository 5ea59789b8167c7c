"""The queue of one namespace in SQLite, in a file of its folder: job_queue.py is its contract."""

import json
import os
import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import astuple
from pathlib import Path

from ..domain.errors import StorageFailed
from ..infra import durable_files
from .job_queue import (
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

FILE = "jobs.sqlite"
FILES = (FILE, f"{FILE}-journal")
_VERSION = 1
_BUSY_S = 5.0
_SCHEMA = (
    "CREATE TABLE logs(log TEXT PRIMARY KEY, position INTEGER NOT NULL) WITHOUT ROWID",
    "CREATE TABLE scanned(workers TEXT NOT NULL, seq INTEGER NOT NULL)",
    "INSERT INTO scanned VALUES ('', 0)",
    """CREATE TABLE jobs(
    number INTEGER PRIMARY KEY, worker TEXT NOT NULL, key TEXT NOT NULL,
    attempts INTEGER NOT NULL DEFAULT 0, not_before REAL NOT NULL DEFAULT 0,
    reason TEXT NOT NULL DEFAULT '', UNIQUE (worker, key)
    )""",
    # `stamp`: a job's sources when it was done (Task.stamp). It is not done again for equal ones.
    """CREATE TABLE done(
    worker TEXT NOT NULL, key TEXT NOT NULL, stamp TEXT NOT NULL, PRIMARY KEY (worker, key)
    ) WITHOUT ROWID""",
    "CREATE INDEX by_worker ON jobs(worker, not_before, number)",
    """CREATE TABLE usage(
    worker TEXT PRIMARY KEY, calls INTEGER NOT NULL, failures INTEGER NOT NULL,
    prompt_tokens INTEGER NOT NULL, completion_tokens INTEGER NOT NULL, ms INTEGER NOT NULL
    ) WITHOUT ROWID""",
    f"PRAGMA user_version = {_VERSION}",
)
_INSERT = "INSERT OR IGNORE INTO jobs(worker, key) VALUES (?, ?)"
_INSERT_OR_RESTART = (
    "INSERT INTO jobs(worker, key) VALUES (?, ?) "
    "ON CONFLICT(worker, key) DO UPDATE SET attempts = 0, not_before = 0, reason = ''"
)
_COMMON_REASONS = (
    "SELECT reason FROM jobs WHERE reason != '' GROUP BY reason ORDER BY count(*) DESC LIMIT 3"
)


class JobStore:
    """Implements JobQueue in one namespace's folder; open_jobs() opens it."""

    def __init__(self, db: sqlite3.Connection) -> None:
        self._db = db

    def scan(self, workers: Sequence[str]) -> Scan:
        (known, seq) = self._db.execute("SELECT workers, seq FROM scanned").fetchone()
        if not set(workers) <= set(json.loads(known or "[]")):
            return Scan()
        return Scan(seq=seq, positions=dict(self._db.execute("SELECT log, position FROM logs")))

    def enqueue(
        self,
        known: Mapping[str, Iterable[str]],
        new: Mapping[str, Iterable[str]],
        *,
        log: str,
        position: int,
    ) -> None:
        with self._db:
            for statement, keys in ((_INSERT, known), (_INSERT_OR_RESTART, new)):
                for worker, own in keys.items():
                    self._db.executemany(statement, [(worker, key) for key in own])
            self._db.execute("REPLACE INTO logs VALUES (?, ?)", (log, position))

    def finish_scan(self, workers: Sequence[str], seq: int) -> None:
        with self._db:
            self._db.execute(
                "UPDATE scanned SET workers = ?, seq = ?", (json.dumps(sorted(workers)), seq)
            )

    def next_due(self, workers: Sequence[str], now: float) -> Job | None:
        for worker in workers:
            row = self._db.execute(
                "SELECT number, worker, key, attempts, reason FROM jobs "
                "WHERE worker = ? AND not_before <= ? ORDER BY number LIMIT 1",
                (worker, now),
            ).fetchone()
            if row:
                return job_from(row)
        return None

    def next_time(self, workers: Sequence[str]) -> float:
        marks = ", ".join("?" * len(workers))
        query = f"SELECT min(not_before) FROM jobs WHERE worker IN ({marks})"  # noqa: S608
        (earliest,) = self._db.execute(query, tuple(workers)).fetchone()
        return RESTS if earliest is None else float(earliest)

    def is_done(self, job: Job, stamp: str) -> bool:
        row = self._db.execute(
            "SELECT stamp FROM done WHERE worker = ? AND key = ?", (job.worker, job.key)
        ).fetchone()
        return row is not None and bool(row[0] == stamp)

    def finish(self, job: Job, stamp: str = "") -> None:
        with self._db:
            self._db.execute("DELETE FROM jobs WHERE number = ?", (job.number,))
            if stamp:
                self._db.execute("REPLACE INTO done VALUES (?, ?, ?)", (job.worker, job.key, stamp))

    def postpone(self, job: Job, reason: str, *, until: float) -> None:
        with self._db:
            self._db.execute(
                "UPDATE jobs SET attempts = ?, reason = ?, not_before = ? WHERE number = ?",
                (job.attempts + 1, reason[:LONGEST_REASON], until, job.number),
            )

    def wait(self, job: Job, until: float) -> None:
        with self._db:
            self._db.execute("UPDATE jobs SET not_before = ? WHERE number = ?", (until, job.number))

    def requeue(self, worker: str, keys: Iterable[str]) -> None:
        rows = [(worker, key) for key in keys]
        with self._db:
            self._db.executemany("DELETE FROM done WHERE worker = ? AND key = ?", rows)
            self._db.executemany(_INSERT_OR_RESTART, rows)

    def retry_all(self) -> int:
        with self._db:
            changed = self._db.execute(
                "UPDATE jobs SET attempts = 0, not_before = 0 WHERE attempts > 0"
            )
            return changed.rowcount

    def counts(self, now: float, workers: Sequence[str] = ()) -> JobCounts:
        chosen = f"WHERE worker IN ({', '.join('?' * len(workers))})" if workers else ""
        due, waiting, later, resting = self._db.execute(
            "SELECT total(not_before <= ?), total(not_before > ? AND attempts = 0), "  # noqa: S608
            "total(not_before > ? AND not_before < ? AND attempts > 0), "
            f"total(not_before = ?) FROM jobs {chosen}",
            (now, now, now, RESTS, RESTS, *workers),
        ).fetchone()
        reasons = self._db.execute(_COMMON_REASONS)
        return JobCounts(
            due=int(due),
            waiting=int(waiting),
            later=int(later),
            resting=int(resting),
            reasons=tuple(reason for (reason,) in reasons),
        )

    def add_usage(self, worker: str, usage: CallUsage) -> None:
        total = self.usage().get(worker, CallUsage()).plus(usage)
        row = (worker, *astuple(total))
        with self._db:
            self._db.execute("REPLACE INTO usage VALUES (?, ?, ?, ?, ?, ?)", row)

    def usage(self) -> dict[str, CallUsage]:
        return usage_from(
            self._db.execute(
                "SELECT worker, calls, failures, prompt_tokens, completion_tokens, ms FROM usage"
            )
        )


@contextmanager
def open_jobs(folder: Path) -> Iterator[JobQueue]:
    """Opens the queue of the namespace in `folder`. Raises StorageFailed.

    A file that is damaged or of another version is created again.
    """
    path = folder / FILE
    try:
        db = _open(path)
        try:
            yield JobStore(db)
        finally:
            db.close()
    except sqlite3.DatabaseError as exc:
        if not isinstance(exc, sqlite3.OperationalError):  # damaged: opening creates it again
            _remove(folder)
        raise StorageFailed(f"{path}: {exc}") from exc


def _open(path: Path) -> sqlite3.Connection:
    db = _connect(path)
    try:
        if _version_of(db) != _VERSION:
            db.close()
            _remove(path.parent)
            db = _connect(path)
            _make_tables(db)
        db.execute("PRAGMA synchronous = NORMAL")
    except BaseException:
        db.close()
        raise
    return db


def _make_tables(db: sqlite3.Connection) -> None:
    with db:
        db.execute("BEGIN IMMEDIATE")
        if _version_of(db) != _VERSION:  # else another program was faster
            for statement in _SCHEMA:
                db.execute(statement)


def _connect(path: Path) -> sqlite3.Connection:
    with durable_files.naming_errors(path):
        os.close(os.open(path, os.O_RDWR | os.O_CREAT, durable_files.FILE_MODE))
    return sqlite3.connect(path, timeout=_BUSY_S)


def _version_of(db: sqlite3.Connection) -> int:
    """Returns the version of our tables; 0 for a new file, -1 for a file that is not a database."""
    try:
        (version,) = db.execute("PRAGMA user_version").fetchone()
    except sqlite3.OperationalError:
        raise
    except sqlite3.DatabaseError:
        return -1
    return int(version)


def _remove(folder: Path) -> None:
    for name in FILES:
        with suppress(OSError):
            (folder / name).unlink()
