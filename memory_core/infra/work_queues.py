"""Queues of work for the background threads: no owner's work holds up that of the others.

RetryQueue has a queue of jobs for each owner, such as a namespace, in which a failed job is tried
again. They are done in order. A chat's newer state is merged into the waiting one, so a queue grows
with its chats, not with their messages. In RoundRobin, namespaces take turns.
"""

import threading
import time
from collections import Counter, OrderedDict, deque
from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass, field
from enum import Enum, auto
from typing import Any, Protocol

from ..domain.namespaces import Namespace

MAX_WAITING = 4096
_MAX_FAILED = 2048
_MAX_FAILED_OF_ONE = 1024
_MAX_FAULTS = 3
_MAX_REPORTED = 5
_MAX_COUNTED = 256
Job = Callable[[], object]
Owner = Hashable


class Outcome(Enum):
    """Outcome of a job. REFUSED: storage or a server failed, so the job is tried again until it
    succeeds. FAULTY: the program itself failed.
    """

    DONE = auto()
    REFUSED = auto()
    FAULTY = auto()


class ChatState(Protocol):
    """A chat's content at one moment, to be written. `label` names the chat in messages to people;
    `count` is the number of answers since the chat was last handed to the writer.
    """

    @property
    def chat(self) -> Hashable: ...

    @property
    def label(self) -> str: ...

    @property
    def count(self) -> int: ...

    def write(self) -> None: ...

    def merged_with(self, newer: Any) -> "ChatState | None":  # noqa: ANN401  (of its own class)
        """Returns one state that has the effect of both in a row; None if there is none."""


@dataclass(eq=False, slots=True, kw_only=True)
class _Entry:
    run: Job
    label: str
    count: int = 1
    state: ChatState | None = None
    faults: int = 0
    tried: threading.Event = field(default_factory=threading.Event)


class RetryQueue:
    """Takes jobs from any thread; one thread runs them. `run` tries a job. `lost` is called with
    each loss and gets a message that sums up all losses since the start.
    """

    def __init__(
        self, *, run: Callable[[Owner, Job], Outcome], lost: Callable[[str], None]
    ) -> None:
        self._run = run
        self._report_lost = lost
        self._changed = threading.Condition()
        self._queues: dict[Owner, deque[_Entry]] = {}
        self._ready: OrderedDict[Owner, None] = OrderedDict()
        self._failed: OrderedDict[Owner, None] = OrderedDict()
        self._prioritised: deque[tuple[Owner, _Entry]] = deque()
        self._losses: Counter[str] = Counter()
        self._is_woken = False
        self.lost_count = 0

    def submit(
        self, job: Job, owner: Owner = None, *, label: str = "the requests"
    ) -> threading.Event:
        """Appends a job; no state is merged across it. Reports a loss, instead of blocking, when
        too many jobs wait. `label` names the job in messages to people.

        Returns an event that is set once the job was tried, whether it failed or not.
        """
        entry = _Entry(run=job, label=label)
        self._append(owner, entry)
        return entry.tried

    def submit_state(self, state: ChatState, owner: Owner = None) -> None:
        """Appends a chat's state, or merges it into a waiting state of that chat if possible."""
        with self._changed:
            if self._merge(owner, state):
                return
        self._append(owner, _entry(state))

    def prioritise(self, owner: Owner) -> None:
        """Runs this owner's present jobs before all others, since somebody waits for them."""
        with self._changed:
            if queue := self._queues.get(owner):
                self._prioritised.append((owner, queue[-1]))
                self._changed.notify_all()

    def run_all(self) -> None:
        """Runs all waiting jobs in the caller's thread."""
        for owner in list(self._failed):
            self._run_up_to(owner)
        while self._ready:
            self._run_first_of(next(iter(self._ready)))

    @property
    def has_priority_job(self) -> bool:
        """Returns whether somebody waits for a job."""
        return bool(self._prioritised)

    def wait_for_job(self, timeout_s: float) -> bool:
        """Waits up to `timeout_s` for a prioritised job or one that has not failed; returns
        whether there is one. wake() ends the wait early.
        """
        with self._changed:
            self._changed.wait_for(lambda: self._has_job() or self._is_woken, timeout_s)
            self._is_woken = False
            return self._has_job()

    def wake(self) -> None:
        """Ends the wait for a job, or the next one if nobody waits."""
        with self._changed:
            self._is_woken = True
            self._changed.notify_all()

    def _has_job(self) -> bool:
        return bool(self._ready or self._prioritised)

    def run_next(self) -> None:
        """Retries one owner's failed jobs, then runs the next job, if any."""
        if self._failed:
            self._run_up_to(next(iter(self._failed)))
        with self._changed:
            prioritised = self._prioritised.popleft() if self._prioritised else None
            following = next(iter(self._ready), None)
            has_more = bool(self._ready)
        if prioritised is not None and prioritised[0] not in self._failed:
            self._run_up_to(*prioritised)
        elif has_more:
            self._run_first_of(following)

    def run_each_once(self) -> None:
        """Runs every waiting job once at the program's end; reports each failure as a loss."""
        for owner in [*self._failed, *self._ready]:
            while entry := self._take_first(owner):
                outcome = self._run(owner, entry.run)
                entry.tried.set()
                if outcome is not Outcome.DONE:
                    self._record_loss(entry, "the program ends")

    def count_waiting(self) -> tuple[int, int]:
        """Returns two counts of waiting jobs: of owners without and with a failed job."""
        with self._changed:
            failed = sum(len(self._queues[own]) for own in self._failed if own in self._queues)
            return sum(map(len, self._queues.values())) - failed, failed

    def _merge(self, owner: Owner, state: ChatState) -> bool:
        """Returns whether the state was merged into a waiting one of that chat.

        A person's request must find the chat as it was when it was made, so nothing is merged
        across a request.
        """
        queue = self._queues.get(owner, deque())
        for index in range(len(queue) - 1, -1, -1):
            waiting = queue[index].state
            if waiting is None:
                return False
            if waiting.chat == state.chat:
                merged = waiting.merged_with(state)
                if merged is not None:
                    queue[index] = _entry(merged)
                return merged is not None
        return False

    def _append(self, owner: Owner, entry: _Entry) -> None:
        with self._changed:
            refusal = self._refusal(owner)
            if not refusal:
                self._queues.setdefault(owner, deque()).append(entry)
                if owner not in self._failed:
                    self._ready[owner] = None
                self._changed.notify_all()
        if refusal:
            self._record_loss(entry, refusal)

    def _refusal(self, owner: Owner) -> str:
        """Returns why the queue is full, or "". Failing owners leave room for the others."""
        ready, failed = self.count_waiting()
        if ready + failed >= MAX_WAITING:
            return f"more than {MAX_WAITING} writes wait"
        own = len(self._queues.get(owner, ()))
        if owner in self._failed and (failed >= _MAX_FAILED or own >= _MAX_FAILED_OF_ONE):
            return f"{failed} writes failed and wait"
        return ""

    def _run_up_to(self, owner: Owner, last: _Entry | None = None) -> None:
        """Runs this owner's present jobs up to this one, by default all, or to one that fails."""
        with self._changed:
            present = list(self._queues.get(owner, ()))
        if last is not None:
            present = present[: present.index(last) + 1] if last in present else []
        for _ in present:
            if not self._run_first_of(owner):
                return

    def _run_first_of(self, owner: Owner) -> bool:
        """Tries this owner's first job; returns whether the next one may be tried."""
        entry = self._take_first(owner)
        if entry is None:
            return False
        outcome = self._run(owner, entry.run)
        entry.tried.set()
        if outcome is not Outcome.DONE:
            reason = self._give_up_reason(owner, entry, outcome)
            if not reason:
                self._put_back(owner, entry)
                return False
            self._record_loss(entry, reason)
        self._requeue(owner)
        return True

    def _give_up_reason(self, owner: Owner, entry: _Entry, outcome: Outcome) -> str:
        """Returns why this failed job is given up, or "" if it is tried again."""
        entry.faults += outcome is Outcome.FAULTY
        if outcome is Outcome.FAULTY and (entry.state is None or entry.faults >= _MAX_FAULTS):
            return "a fault of this program"
        _, failed = self.count_waiting()
        has_room = owner in self._failed or failed < _MAX_FAILED
        return "" if has_room else f"{failed} writes failed and wait"

    def _take_first(self, owner: Owner) -> _Entry | None:
        """Takes the owner's first job out of the queue; nothing is merged into it any more."""
        with self._changed:
            queue = self._queues.get(owner)
            if not queue:
                self._requeue(owner)
                return None
            return queue.popleft()

    def _requeue(self, owner: Owner) -> None:
        """Clears the owner's failure and moves the owner to the end of the queue; drops an owner
        without jobs.
        """
        with self._changed:
            self._failed.pop(owner, None)
            self._ready.pop(owner, None)
            if self._queues.get(owner):
                self._ready[owner] = None
            else:
                self._queues.pop(owner, None)

    def _put_back(self, owner: Owner, entry: _Entry) -> None:
        with self._changed:
            self._ready.pop(owner, None)
            self._failed.pop(owner, None)
            self._failed[owner] = None
            self._queues.setdefault(owner, deque()).appendleft(entry)

    def _record_loss(self, entry: _Entry, reason: str) -> None:
        with self._changed:
            self.lost_count += entry.count
            is_counted = entry.label in self._losses or len(self._losses) < _MAX_COUNTED
            self._losses[entry.label if is_counted else "others"] += entry.count
            message = f"{reason}; not kept so far: {_summarise_losses(self._losses)}"
        self._report_lost(message)


def _entry(state: ChatState) -> _Entry:
    return _Entry(run=state.write, label=state.label, count=state.count, state=state)


def _summarise_losses(losses: Counter[str]) -> str:
    """Returns the number of losses of each label, the largest first."""
    most = losses.most_common(_MAX_REPORTED)
    parts = [f"{count} in {label}" for label, count in most]
    rest = losses.total() - sum(count for _, count in most)
    return ", ".join([*parts, f"{rest} elsewhere"] if rest else parts)


class RoundRobin:
    """Gives turns to namespaces that were just used or have more to do, and every `later_s` seconds
    to those scheduled for later. Safe for many threads.
    """

    def __init__(self, *, later_s: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._later_s = later_s
        self._clock = clock
        self._lock = threading.Lock()
        self._used: set[Namespace] = set()
        self._now: dict[Namespace, None] = {}
        self._later: set[Namespace] = set()
        self._looked_at = clock()

    def schedule(self, namespace: Namespace) -> None:
        """Schedules a turn in the next round, behind the namespaces already in it."""
        with self._lock:
            self._used.add(namespace)
            self._now.setdefault(namespace)

    def schedule_later(self, namespace: Namespace) -> None:
        with self._lock:
            self._later.add(namespace)

    def schedule_all(self) -> None:
        """Schedules all namespaces ever used, since a change may concern any of them."""
        with self._lock:
            self._now |= dict.fromkeys(self._used)

    def drop(self, namespaces: Iterable[Namespace]) -> None:
        with self._lock:
            for namespace in namespaces:
                self._used.discard(namespace)
                self._later.discard(namespace)
                self._now.pop(namespace, None)

    def used_namespaces(self) -> list[Namespace]:
        with self._lock:
            return list(self._used)

    def has_due(self) -> bool:
        with self._lock:
            return bool(self._now)

    def next(self) -> list[Namespace]:
        """Returns one round and begins the next; what is scheduled from now on belongs to that."""
        with self._lock:
            if self._clock() - self._looked_at >= self._later_s:
                self._looked_at = self._clock()
                self._now |= dict.fromkeys(self._later)
                self._later.clear()
            found = list(self._now)
            self._now.clear()
            return found
