"""Keeps every namespace within its limits, in small steps, and counts removals by reason."""

import json
import logging
import time
from collections import Counter, deque
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from ..domain.errors import LongTermMemoryError, StorageFailed
from ..domain.namespaces import Namespace
from ..infra.json_codec import UNUSABLE_JSON
from ..infra.lru_cache import LRUCache
from ..storage.disk_usage import VECTORS
from ..storage.small_files import SmallFiles
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
MAX_AWAITING_ERASURE = 10_000  # per namespace, as each takes up space until it is erased
_RECHECK_S = 3600.0  # erasing rewrites the index: too much work for every message
_FULL_CHECK_S = 86_400.0
_MAX_REPORTED = 256
_MAX_COUNTED = 200
_UNREACHABLE_LIMIT = (
    "{}: retention.max_mb cannot be reached, because forgetting frees too little space; "
    "nothing is forgotten for it"
)
_BYTES_PER_FLOAT16 = 2
_INDEX_BYTES_PER_VECTOR = 64  # about
_MIN_GAIN_SHARE = 0.2  # of the expected gain; with less, forgetting is of no use
CLOCK_FILE = "clock.json"  # so that one start with a wrong clock retires no memory
_MAX_PAUSE_S = 30 * 86_400.0  # a longer one is either a holiday or a wrong clock
_PROBATION_S = 86_400.0  # after a jump
_SAVE_CLOCK_AFTER_S = 3600.0


@dataclass(frozen=True, slots=True, kw_only=True)
class RetentionPreview:
    """An estimate of the memories that limits would remove, and the number of namespaces concerned.

    `unreachable` namespaces cannot get as small as the limit; `uncounted` ones, the least recently
    used, were not looked at.
    """

    memories: int = 0
    namespaces: int = 0
    unreachable: int = 0
    uncounted: int = 0


class RetentionWorker:
    """Forgets memories over a limit. Steps are for one thread, removed_counts() is for any."""

    def __init__(
        self,
        *,
        touch: Callable[[Namespace], None],
        forgot: Callable[[Forgotten], None],
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._schedule_erasure = touch
        self._forgot = forgot
        self._clock = clock
        self._limits = RetentionLimits()
        self._is_clock_trusted = True
        self._waiting: deque[Namespace] = deque()
        self._checked_at: dict[Namespace, float] = {}
        self._full_check_at = 0.0
        self._current_size: NamespaceSize | None = None  # of the first that waits, once begun
        self._expected_gain: dict[Namespace, tuple[int, int]] = {}
        self._unreachable: set[Namespace] = set()
        self._problems: dict[Namespace, str] = {}
        self._removed_counts: LRUCache[Namespace, Mapping[RetentionReason, int]] = LRUCache(
            _MAX_REPORTED
        )

    def enforce(
        self,
        memory: LongTermMemory,
        limits: RetentionLimits,
        used: Collection[Namespace],
        *,
        until: Callable[[], bool],
    ) -> None:
        """Plans, then takes at least one step, until nothing is left or `until` returns true."""
        self.plan(memory, limits, used)
        while self.step(memory) and not until():
            time.sleep(0)  # yields to a waiting message

    def plan(
        self, memory: LongTermMemory, limits: RetentionLimits, used: Collection[Namespace]
    ) -> None:
        """Queues the namespaces to check: the `used` ones every hour, and all of them once a day.

        All are checked under new limits too. The daily check is for memories that grow too old.
        A clock that was set back delays no check.
        """
        now, is_new = self._clock(), limits != self._limits
        self._limits = limits
        if is_new:
            self._waiting.clear()
            self._expected_gain.clear()
            self._unreachable.clear()
            self._problems.clear()
        if not limits.is_set:
            return
        self._check_clock(memory, now)
        if is_new or abs(now - self._full_check_at) >= _FULL_CHECK_S:
            self._full_check_at = now
            self._enqueue(memory.namespaces())
        spaces = [memory.resolve(space) for space in used]
        self._enqueue(
            [space for space in spaces if abs(now - self._checked_at.get(space, 0.0)) >= _RECHECK_S]
        )

    def _check_clock(self, memory: LongTermMemory, now: float) -> None:
        """Suspends the limit of age while the clock may be wrong."""
        was_trusted = self._is_clock_trusted
        if self._limits.max_age_s is not None:
            try:
                files, root = memory.shared.files, memory.root
                self._is_clock_trusted = _is_clock_trusted(files, root, now)
            except StorageFailed:
                self._is_clock_trusted = False
        if was_trusted and not self._is_clock_trusted:
            log.warning("retention.max_age_days waits for a day, because the clock has jumped")

    def step(self, memory: LongTermMemory) -> bool:
        """Forgets one batch of one namespace. Returns whether more is due."""
        if not self._waiting:
            return False
        space = self._waiting[0]
        is_done = True  # after a failure too: a used namespace is checked again in an hour
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
        """Returns the number of memories forgotten since the start, by reason."""
        return self._removed_counts.get(namespace) or {}

    def problems(self) -> list[str]:
        """Returns the limits that are not kept, with their reasons, in plain words."""
        return [
            *list(self._problems.values()),
            *(_UNREACHABLE_LIMIT.format(space.label) for space in list(self._unreachable)),
        ]

    def _enqueue(self, spaces: Sequence[Namespace]) -> None:
        known = set(self._waiting)
        self._waiting.extend(space for space in dict.fromkeys(spaces) if space not in known)

    def _finish_namespace(self, space: Namespace) -> None:
        self._waiting.popleft()
        self._checked_at[space] = self._clock()
        self._current_size = None

    def _forget_next(self, memory: LongTermMemory, space: Namespace) -> bool:
        """Forgets the next memories over a limit. Returns whether none are left for now."""
        if not memory.has_namespace(space):
            return True
        with memory.open_namespace(space) as opened:
            size = self._current_size or measure_namespace(memory, space, opened, self._limits)
            if size.awaiting_erasure:
                self._schedule_erasure(space)  # an earlier run may have left memories to erase
            limit = min(BATCH_SIZE, MAX_AWAITING_ERASURE - size.awaiting_erasure)
            oldest = opened.query(lambda store: store.catalog.retention_candidates(max(0, limit)))
            chosen = select_for_retention(
                size, oldest, self._reachable_limits(space, size), now=self._clock()
            )
            if not chosen:
                return True
            known = opened.query(lambda store: store.catalog.get(list(chosen)))
            hidden = opened.forget_exactly(list(chosen), now=self._clock())
        self._count_removed(space, chosen)
        live = sum(candidate.is_live for candidate in oldest if candidate.id in chosen)
        self._current_size = replace(
            size, live=size.live - live, awaiting_erasure=size.awaiting_erasure + len(hidden)
        )
        self._forgot(Forgotten.of(space, hidden, known.values()))
        self._schedule_erasure(space)
        return False

    def _reachable_limits(self, space: Namespace, size: NamespaceSize) -> RetentionLimits:
        """Returns the limits, without that of size if the files did not shrink the last time."""
        limits = self._limits
        if not self._is_clock_trusted:
            limits = replace(limits, max_age_s=None)
        if size.awaiting_erasure or not is_too_big(size, limits):
            return limits
        self._unreachable.discard(space)
        bytes_before, expected = self._expected_gain.get(space, (size.bytes_in_use, 0))
        gain = bytes_before - size.bytes_in_use
        if is_unreachable(size, limits) or gain < _MIN_GAIN_SHARE * expected:
            self._unreachable.add(space)
            return replace(limits, max_bytes=None)
        self._expected_gain[space] = (
            size.bytes_in_use,
            size.bytes_in_use - (limits.max_bytes or 0),
        )
        return limits

    def _count_removed(self, space: Namespace, chosen: Mapping[str, RetentionReason]) -> None:
        reasons = ", ".join(sorted(set(chosen.values())))
        log.info("%s: %d memories over %s are forgotten", space.label, len(chosen), reasons)
        self._removed_counts.put(
            space, Counter(self.removed_counts(space)) + Counter(chosen.values())
        )


def measure_namespace(
    memory: LongTermMemory,
    space: Namespace,
    opened: NamespaceMemory,
    limits: RetentionLimits,
) -> NamespaceSize:
    """Measures a namespace against the limits; in bytes only if their size is limited."""
    live = opened.query(lambda store: store.catalog.count_retention_candidates())
    awaiting = len(opened.query(lambda store: store.catalog.forgotten()))
    if limits.max_bytes is None:
        return NamespaceSize(live=live, awaiting_erasure=awaiting)
    counts = opened.query(lambda store: store.counts())
    return NamespaceSize(
        live=live,
        awaiting_erasure=awaiting,
        total=counts["live"] + counts["removed"] + awaiting,
        erased=counts["forgotten"] - awaiting,
        bytes_in_use=_bytes_in_use(memory, space, opened, counts["embedded"]),
    )


def _bytes_in_use(
    memory: LongTermMemory, space: Namespace, opened: NamespaceMemory, embedded: int
) -> int:
    """Returns the bytes in use, without unused vectors such as those of an earlier model.

    Their space is freed in time; forgetting would not free it sooner.
    """
    usage = memory.shared.measure(memory.resolve(space))
    vectors = usage.index.get(VECTORS, 0)
    wanted = embedded * (opened.active_model.dim * _BYTES_PER_FLOAT16 + _INDEX_BYTES_PER_VECTOR)
    return usage.steady_total - max(0, vectors - wanted)


def preview_retention(
    memory: LongTermMemory, limits: RetentionLimits, *, now: float
) -> RetentionPreview:
    """Returns the numbers of memories that the limits would remove, without removing any."""
    if not limits.is_set:
        return RetentionPreview()
    spaces = memory.shared.namespaces.recently_written(_MAX_COUNTED)
    previews = [_preview_namespace(memory, space, limits, now) for space in spaces]
    counts = [count for count, _ in previews if count]
    return RetentionPreview(
        memories=sum(counts),
        namespaces=len(counts),
        unreachable=sum(is_out_of_reach for _, is_out_of_reach in previews),
        uncounted=len(memory.namespaces()) - len(spaces),
    )


def _preview_namespace(
    memory: LongTermMemory, space: Namespace, limits: RetentionLimits, now: float
) -> tuple[int, bool]:
    """Returns about how many memories are over a limit, and whether its size cannot be reached.

    The highest count is enough, because all limits remove the oldest memories.
    """
    with memory.open_namespace(space) as opened:
        size = measure_namespace(memory, space, opened, limits)
        limit = limits.oldest_allowed(now)
        old = 0
        if limit is not None:
            old = opened.query(lambda store: store.catalog.count_retention_candidates(before=limit))
    count = max(old, excess_count(size.live, limits), excess_size(size, limits))
    return count, is_unreachable(size, limits)


def _is_clock_trusted(files: SmallFiles, folder: Path, now: float) -> bool:
    """Returns False for a day after the clock jumped by more than 30 days, or went back by one.

    Raises StorageFailed.
    """
    path = folder / CLOCK_FILE
    seen, since = _read_clock(files, path) or (now, now - _PROBATION_S)
    if not seen - _PROBATION_S <= now <= seen + _MAX_PAUSE_S:
        since = now
    if since == now or abs(now - seen) >= _SAVE_CLOCK_AFTER_S or files.stamp(path) is None:
        files.replace(path, json.dumps({"seen": now, "since": since}).encode())
    return now - since >= _PROBATION_S


def _read_clock(files: SmallFiles, path: Path) -> tuple[float, float] | None:
    """Returns when the clock was last seen, and since when it has not jumped; None if unknown."""
    try:
        found = json.loads(files.read(path) or b"")
        return float(found["seen"]), float(found["since"])
    except UNUSABLE_JSON:
        return None
