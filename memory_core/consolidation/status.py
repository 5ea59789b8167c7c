"""The state of background work as people see it: its activity, its queue and its cost."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path

from ..domain.records import empty_mapping
from ..storage.job_queue import RESTS, CallUsage, JobCounts
from ..storage.shared import SharedStorage

_MIN_CALLS = 4


class WorkState(StrEnum):
    OFF = "off"
    NO_MODEL = "no_model"
    NOT_LOADED = "not_loaded"  # the host has no model in memory
    PAUSED = "paused"
    WORKING = "working"
    LEFT_ALONE = "left_alone"  # the model failed and is not called for a while
    WAITING = "waiting"  # for a quiet moment, or for new jobs


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkStatus:
    """`counts` and `usage` are those of one namespace, since its queue was made.

    `due` maps worker → number of its due jobs. `unread` is the number of events that no scan has
    read yet. `next_time` is that of the next job that waits, since the epoch; RESTS for none.
    """

    state: WorkState
    counts: JobCounts = field(default_factory=JobCounts)
    usage: CallUsage = field(default_factory=CallUsage)
    due: Mapping[str, int] = field(default_factory=empty_mapping)
    unread: int = 0
    next_time: float = RESTS

    @property
    def pace(self) -> "WorkPace | None":
        return pace_of(self.usage, self.counts.due)


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkPace:
    """The model's speed: seconds per answer and for all due jobs, and the unusable answers."""

    s_per_answer: float
    s_left: float
    calls: int
    failures: int

    @property
    def is_unfit(self) -> bool:
        """Returns whether most answers could not be used."""
        return 2 * self.failures > self.calls


def pace_of(usage: CallUsage, due: int) -> WorkPace | None:
    """Returns the pace for `due` jobs; None after too few answers."""
    if usage.calls < _MIN_CALLS:
        return None
    seconds = usage.ms / 1000 / usage.calls
    return WorkPace(
        s_per_answer=seconds, s_left=due * seconds, calls=usage.calls, failures=usage.failures
    )


def queue_status(
    shared: SharedStorage,
    folder: Path,
    state: WorkState,
    *,
    now: float,
    workers: Sequence[str] = (),
    last_seq: int = 0,
) -> WorkStatus:
    """Returns the status with the queue of the namespace in `folder`. Raises StorageFailed.

    `workers` are those of the settings, `last_seq` is the seq of the namespace's last event.
    """
    if not shared.has_jobs(folder):
        return WorkStatus(state=state, unread=last_seq)
    with shared.open_jobs(folder) as jobs:
        total = CallUsage()
        for used in jobs.usage().values():
            total = total.plus(used)
        due = {worker: jobs.counts(now, [worker]).due for worker in workers}
        return WorkStatus(
            state=state,
            counts=jobs.counts(now),
            usage=total,
            due={worker: count for worker, count in due.items() if count},
            unread=max(0, last_seq - jobs.scan(workers).seq) if workers else 0,
            next_time=jobs.next_time(workers),
        )
