"""Keeps every namespace within the limits, a piece at a time, and knows what went and why."""

import logging
import time
from collections import Counter, deque
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace

from ..domain.errors import LongTermMemoryError
from ..domain.namespaces import Namespace
from ..infra.lru_cache import LRUCache
from ..storage.disk_usage import VECTORS, usage_of
from .forgetting import Forgotten
from .long_term_memory import LongTermMemory
from .namespace_memory import NamespaceMemory
from .retention_policy import (
    NamespaceSize,
    RetentionLimits,
    RetentionReason,
    excess_count,
    excess_size,
    is_too_big,
    is_unreachable,
    select_for_retention,
)

log = logging.getLogger("long_term_memory")

BATCH_SIZE = 500
MAX_AWAITING_ERASURE = (
    10_000  # of one namespace wait to be erased at the same time: each costs room until then
)
_RECHECK_S = 3600.0  # erasing writes the index anew: not for every message
_FULL_CHECK_S = 86_400.0
_MAX_REPORTED = 256
_MAX_COUNTED = 200
_STUCK = (
    "{}: retention.max_mb cannot be reached by forgetting, which gives back too little room; "
    "nothing is forgotten for it"
)
_BYTES_PER_FLOAT16 = 2  # bytes of a float16
_INDEX_BYTES_PER_VECTOR = 64  # bytes of a vector in the index, about
_MIN_GAIN_SHARE = 0.2  # of the room that was hoped for; with less, letting go is of no use


@dataclass(frozen=True, slots=True, kw_only=True)
class RetentionPreview:
    """What a quota would let go: about how many memories, of how many namespaces. With so many
    `out_of_reach` its size cannot be reached; those not used for longest are `uncounted`.
    """

    memories: int = 0
    namespaces: int = 0
    unreachable: int = 0
    uncounted: int = 0


class RetentionWorker:
    """Steps are for one thread; what went can be asked for by any."""

    def __init__(
        self,
        *,
        touch: Callable[[Namespace], None],
        forgotten: Callable[[Forgotten], None],
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._touch = touch
        self._forgotten = forgotten
        self._clock = clock
        self._limits = RetentionLimits()
        self._waiting: deque[Namespace] = deque()
        self._checked_at: dict[Namespace, float] = {}
        self._full_check_at = 0.0
        self._current_size: NamespaceSize | None = (
            None  # of the first one that waits, once it is begun
        )
        self._expected_gain: dict[Namespace, tuple[int, int]] = {}
        self._unreachable: set[Namespace] = set()
        self._problems: dict[Namespace, str] = {}
        self._removed_counts: LRUCache[Namespace, Mapping[RetentionReason, int]] = LRUCache(
            _MAX_REPORTED
        )

    def enforce(
        self,
        memory: LongTermMemory,
        quota: RetentionLimits,
        used: Collection[Namespace],
        *,
        until: Callable[[], bool],
    ) -> None:
        """Plans, and takes steps, one at least, until nothing or something else is to be done."""
        self.plan(memory, quota, used)
        while self.step(memory) and not until():
            time.sleep(0)  # lets a waiting message go first

    def plan(
        self, memory: LongTermMemory, quota: RetentionLimits, used: Collection[Namespace]
    ) -> None:
        """Has those looked after that may be over a limit: all under a new quota and once a day,
        since memories grow old, and the `used` ones every hour.
        """
        now, is_new = self._clock(), quota != self._limits
        self._limits = quota
        if is_new:
            self._waiting.clear()
            self._expected_gain.clear()
            self._unreachable.clear()
            self._problems.clear()
        if not quota.is_set:
            return
        if is_new or now - self._full_check_at >= _FULL_CHECK_S:
            self._full_check_at = now
            self._enqueue(memory.namespaces())
        used = [memory.resolve(it) for it in used]
        self._enqueue([it for it in used if now - self._checked_at.get(it, 0.0) >= _RECHECK_S])

    def step(self, memory: LongTermMemory) -> bool:
        """One piece of one namespace; whether more is to be done."""
        if not self._waiting:
            return False
        space = self._waiting[0]
        is_done = True  # also where it fails: what is in use is looked after again in an hour
        try:
            is_done = self._forget_next(memory, space)
            self._problems.pop(space, None)
        except LongTermMemoryError as exc:
            self._problems[space] = f"{space.label}: a limit could not be kept: {exc}"
            log.warning(self._problems[space])
        finally:
            if is_done:
                self._finish_namespace(space)
        return bool(self._waiting)

    def removed_counts(self, namespace: Namespace) -> Mapping[RetentionReason, int]:
        """How many went since the start, and why."""
        return self._removed_counts.get(namespace) or {}

    def problems(self) -> list[str]:
        """Where a limit is not kept, and why."""
        return [
            *list(self._problems.values()),
            *(_STUCK.format(it.label) for it in list(self._unreachable)),
        ]

    def _enqueue(self, spaces: Sequence[Namespace]) -> None:
        known = set(self._waiting)
        self._waiting.extend(it for it in dict.fromkeys(spaces) if it not in known)

    def _finish_namespace(self, space: Namespace) -> None:
        self._waiting.popleft()
        self._checked_at[space] = self._clock()
        self._current_size = None

    def _forget_next(self, memory: LongTermMemory, space: Namespace) -> bool:
        """Forgets the next ones that are over a limit; whether there are no more for now."""
        if not memory.resolve(space).folder(memory.root).is_dir():
            return True
        with memory.open_namespace(space) as archive:
            held = self._current_size or measure_namespace(archive, self._limits)
            if held.awaiting_erasure:
                self._touch(space)  # also what an earlier run of the program left to be erased
            most = min(BATCH_SIZE, MAX_AWAITING_ERASURE - held.awaiting_erasure)
            oldest = archive.query(lambda store: store.retention_candidates(max(0, most)))
            going = select_for_retention(
                held, oldest, self._reachable_limits(space, held), now=self._clock()
            )
            if not going:
                return True
            known = archive.query(lambda store: store.get(list(going)))
            archive.forget_exactly(list(going), now=self._clock())
        self._record_removed(space, going)
        live = sum(it.is_live for it in oldest if it.id in going)
        self._current_size = replace(
            held, live=held.live - live, awaiting_erasure=held.awaiting_erasure + len(going)
        )
        self._forgotten(Forgotten.of(space, list(going), known.values()))
        self._touch(space)
        return False

    def _reachable_limits(self, space: Namespace, held: NamespaceSize) -> RetentionLimits:
        """The quota; without its limit of size where the files did not shrink the last time."""
        quota = self._limits
        if held.awaiting_erasure or not is_too_big(held, quota):
            return quota
        self._unreachable.discard(space)
        before, hoped = self._expected_gain.get(space, (held.bytes_in_use, 0))
        if is_unreachable(held, quota) or before - held.bytes_in_use < _MIN_GAIN_SHARE * hoped:
            self._unreachable.add(space)
            return replace(quota, max_bytes=None)
        self._expected_gain[space] = (held.bytes_in_use, held.bytes_in_use - (quota.max_bytes or 0))
        return quota

    def _record_removed(self, space: Namespace, going: Mapping[str, RetentionReason]) -> None:
        reasons = ", ".join(sorted(set(going.values())))
        log.info("%s: %d memories over %s are forgotten", space.label, len(going), reasons)
        self._removed_counts.put(
            space, Counter(self.removed_counts(space)) + Counter(going.values())
        )


def measure_namespace(archive: NamespaceMemory, quota: RetentionLimits) -> NamespaceSize:
    """What counts against the limits; sizes only where one is set."""
    live = archive.query(lambda store: store.count_retention_candidates())
    leaving = len(archive.query(lambda store: store.forgotten()))
    if quota.max_bytes is None:
        return NamespaceSize(live=live, awaiting_erasure=leaving)
    counts = archive.query(lambda store: store.counts())
    return NamespaceSize(
        live=live,
        awaiting_erasure=leaving,
        total=counts["live"] + counts["removed"] + leaving,
        erased=counts["forgotten"] - leaving,
        bytes_in_use=_bytes_in_use(archive, counts["embedded"]),
    )


def _bytes_in_use(archive: NamespaceMemory, embedded: int) -> int:
    """Without the room of vectors that nobody finds any more, those of an earlier model for one:
    it is given back in time, and by forgetting no sooner.
    """
    usage = usage_of(archive.folder)
    vectors = usage.index.get(VECTORS, 0)
    wanted = embedded * (archive.active_model.dim * _BYTES_PER_FLOAT16 + _INDEX_BYTES_PER_VECTOR)
    return usage.steady_total - max(0, vectors - wanted)


def preview_retention(
    memory: LongTermMemory, quota: RetentionLimits, *, now: float
) -> RetentionPreview:
    """What would go, without doing it."""
    if not quota.is_set:
        return RetentionPreview()
    spaces = memory.recently_written(_MAX_COUNTED)
    looks = [_preview_namespace(memory, it, quota, now) for it in spaces]
    counts = [count for count, _ in looks if count]
    return RetentionPreview(
        memories=sum(counts),
        namespaces=len(counts),
        unreachable=sum(is_out for _, is_out in looks),
        uncounted=len(memory.namespaces()) - len(spaces),
    )


def _preview_namespace(
    memory: LongTermMemory, space: Namespace, quota: RetentionLimits, now: float
) -> tuple[int, bool]:
    """About how many of one namespace are over a limit, since all limits take the oldest; and
    whether its size is out of reach.
    """
    with memory.open_namespace(space) as archive:
        held = measure_namespace(archive, quota)
        limit = quota.oldest_allowed(now)
        old = 0
        if limit is not None:
            old = archive.query(lambda store: store.count_retention_candidates(before=limit))
    count = max(old, excess_count(held.live, quota), excess_size(held, quota))
    return count, is_unreachable(held, quota)
