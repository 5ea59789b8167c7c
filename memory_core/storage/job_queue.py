"""The queue of one namespace: jobs that are due, the position in the log, and usage.

The queue is derived: without it, the log is read from its beginning, and memories that exist are
not made again. A job leaves the queue when it is done. The queue holds no texts of memories.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any, Protocol

from ..domain.records import empty_mapping

RESTS = 1e300  # not_before of a job that waits until somebody retries it
LONGEST_REASON = 300


@dataclass(frozen=True, slots=True, kw_only=True)
class Job:
    """A job that is due. `attempts` counts the failed ones; `reason` is the last failure."""

    number: int
    worker: str
    key: str
    attempts: int = 0
    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class JobCounts:
    """Number of jobs by state.

    `due` now; `waiting` for their time without a failure; `later` after a failure; `resting` after
    too many failures, until somebody retries them. `reasons`: the most common failures.
    """

    due: int = 0
    waiting: int = 0
    later: int = 0
    resting: int = 0
    reasons: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class CallUsage:
    """Number of calls of the model, of failed calls and of tokens, and the time in ms."""

    calls: int = 0
    failures: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    ms: int = 0

    def plus(self, other: "CallUsage") -> "CallUsage":
        return CallUsage(
            calls=self.calls + other.calls,
            failures=self.failures + other.failures,
            prompt_tokens=self.prompt_tokens + other.prompt_tokens,
            completion_tokens=self.completion_tokens + other.completion_tokens,
            ms=self.ms + other.ms,
        )


def job_from(row: Sequence[Any]) -> Job:
    """Returns the job of a row of number, worker, key, attempts and reason."""
    number, worker, key, attempts, reason = row
    return Job(number=number, worker=worker, key=key, attempts=attempts, reason=reason)


def usage_from(rows: Iterable[Sequence[Any]]) -> dict[str, CallUsage]:
    """Returns worker → usage, from rows of the worker and the values in the order of CallUsage."""
    names = [value.name for value in fields(CallUsage)]
    return {worker: CallUsage(**dict(zip(names, values, strict=True))) for worker, *values in rows}


@dataclass(frozen=True, slots=True, kw_only=True)
class Scan:
    """The end of the last scan for these workers: byte offsets by log, and the highest seq."""

    seq: int = 0
    positions: Mapping[str, int] = field(default_factory=empty_mapping)


class JobQueue(Protocol):
    """The queue of one namespace, open for the length of a block. Times are since the epoch."""

    def scan(self, workers: Sequence[str]) -> Scan:
        """Returns the end of the last scan; Scan() if one of these workers is new since then."""
        ...

    def enqueue(
        self,
        known: Mapping[str, Iterable[str]],
        new: Mapping[str, Iterable[str]],
        *,
        log: str,
        position: int,
    ) -> None:
        """Adds the jobs of each worker that one log makes due, with its new position.

        `known` jobs are named by events that were read before: one that waits already stays as it
        is. `new` jobs begin again, since their sources changed.
        """
        ...

    def finish_scan(self, workers: Sequence[str], seq: int) -> None:
        """Notes that all events up to `seq` were read for these workers."""
        ...

    def next_due(self, workers: Sequence[str], now: float) -> Job | None:
        """Returns the oldest due job of the first worker that has one.

        Where many programs do jobs, no other one gets this job for a while.
        """
        ...

    def next_time(self, workers: Sequence[str]) -> float:
        """Returns the earliest time at which a job is due; RESTS if none is."""
        ...

    def is_done(self, job: Job, stamp: str) -> bool:
        """Returns whether the job was done before, with the same sources."""
        ...

    def finish(self, job: Job, stamp: str = "") -> None:
        """Removes the job from the queue. With a stamp, it counts as done for these sources."""
        ...

    def postpone(self, job: Job, reason: str, *, until: float) -> None:
        """Puts the job off after a failed attempt."""
        ...

    def wait(self, job: Job, until: float) -> None:
        """Puts the job off without counting an attempt."""
        ...

    def requeue(self, worker: str, keys: Iterable[str]) -> None:
        """Adds jobs as if they had never been done."""
        ...

    def retry_all(self) -> int:
        """Makes all failed jobs due now, resting ones too; returns their number."""
        ...

    def counts(self, now: float, workers: Sequence[str] = ()) -> JobCounts:
        """Counts the jobs of these workers, or of all workers."""
        ...

    def add_usage(self, worker: str, usage: CallUsage) -> None: ...

    def usage(self) -> dict[str, CallUsage]:
        """Returns worker → usage since the queue was created."""
        ...


OpenJobs = Callable[[Path], AbstractContextManager[JobQueue]]
