"""Keeps every namespace within the limits, a piece at a time, and knows what went and why."""

import logging
import time
from collections import Counter, deque
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace

from ..domain.errors import LongTermMemoryError
from ..domain.namespaces import Namespace
from ..infra.lru_cache import Recent
from ..storage.disk_usage import VECTORS, usage_of
from .forgetting import Forgotten
from .long_term_memory import LongTermMemory
from .namespace_memory import Archive
from .retention_policy import (
    Holding,
    Quota,
    Why,
    beyond,
    is_out_of_reach,
    is_too_big,
    too_big,
    too_many,
)

log = logging.getLogger("long_term_memory")

PIECE = 500
ROUND = 10_000  # of one namespace wait to be erased at the same time: each costs room until then
_AGAIN_S = 3600.0  # erasing writes the index anew: not for every message
_EVERYWHERE_S = 86_400.0
_MOST_TOLD = 256
_MOST_COUNTED = 200
_STUCK = (
    "{}: retention.max_mb cannot be reached by forgetting, which gives back too little room; "
    "nothing is forgotten for it"
)
_HALF = 2  # bytes of a float16
_FOUND_BY = 64  # bytes of a vector in the index, about
_GOT_BACK = 0.2  # of the room that was hoped for; with less, letting go is of no use


@dataclass(frozen=True, slots=True, kw_only=True)
class Preview:
    """What a quota would let go: about how many memories, of how many namespaces. With so many
    `out_of_reach` its size cannot be reached; those not used for longest are `uncounted`.
    """

    memories: int = 0
    namespaces: int = 0
    out_of_reach: int = 0
    uncounted: int = 0


class Keeper:
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
        self._quota = Quota()
        self._waiting: deque[Namespace] = deque()
        self._looked: dict[Namespace, float] = {}
        self._everywhere = 0.0
        self._held: Holding | None = None  # of the first one that waits, once it is begun
        self._hoped: dict[Namespace, tuple[int, int]] = {}
        self._stuck: set[Namespace] = set()
        self._problems: dict[Namespace, str] = {}
        self._went: Recent[Namespace, Mapping[Why, int]] = Recent(_MOST_TOLD)

    def keep(
        self,
        memory: LongTermMemory,
        quota: Quota,
        used: Collection[Namespace],
        *,
        until: Callable[[], bool],
    ) -> None:
        """Plans, and takes steps, one at least, until nothing or something else is to be done."""
        self.plan(memory, quota, used)
        while self.step(memory) and not until():
            time.sleep(0)  # lets a waiting message go first

    def plan(self, memory: LongTermMemory, quota: Quota, used: Collection[Namespace]) -> None:
        """Has those looked after that may be over a limit: all under a new quota and once a day,
        since memories grow old, and the `used` ones every hour.
        """
        now, is_new = self._clock(), quota != self._quota
        self._quota = quota
        if is_new:
            self._waiting.clear()
            self._hoped.clear()
            self._stuck.clear()
            self._problems.clear()
        if not quota.is_set:
            return
        if is_new or now - self._everywhere >= _EVERYWHERE_S:
            self._everywhere = now
            self._wait(memory.namespaces())
        used = [memory.resolve(it) for it in used]
        self._wait([it for it in used if now - self._looked.get(it, 0.0) >= _AGAIN_S])

    def step(self, memory: LongTermMemory) -> bool:
        """One piece of one namespace; whether more is to be done."""
        if not self._waiting:
            return False
        space = self._waiting[0]
        is_done = True  # also where it fails: what is in use is looked after again in an hour
        try:
            is_done = self._lets_go(memory, space)
            self._problems.pop(space, None)
        except LongTermMemoryError as exc:
            self._problems[space] = f"{space.label}: a limit could not be kept: {exc}"
            log.warning(self._problems[space])
        finally:
            if is_done:
                self._leave(space)
        return bool(self._waiting)

    def went(self, namespace: Namespace) -> Mapping[Why, int]:
        """How many went since the start, and why."""
        return self._went.get(namespace) or {}

    def problems(self) -> list[str]:
        """Where a limit is not kept, and why."""
        return [
            *list(self._problems.values()),
            *(_STUCK.format(it.label) for it in list(self._stuck)),
        ]

    def _wait(self, spaces: Sequence[Namespace]) -> None:
        known = set(self._waiting)
        self._waiting.extend(it for it in dict.fromkeys(spaces) if it not in known)

    def _leave(self, space: Namespace) -> None:
        self._waiting.popleft()
        self._looked[space] = self._clock()
        self._held = None

    def _lets_go(self, memory: LongTermMemory, space: Namespace) -> bool:
        """Forgets the next ones that are over a limit; whether there are no more for now."""
        if not memory.resolve(space).folder(memory.root).is_dir():
            return True
        with memory.using(space) as archive:
            held = self._held or holding(archive, self._quota)
            if held.leaving:
                self._touch(space)  # also what an earlier run of the program left to be erased
            most = min(PIECE, ROUND - held.leaving)
            oldest = archive.read(lambda store: store.evictable(max(0, most)))
            going = beyond(held, oldest, self._within_reach(space, held), now=self._clock())
            if not going:
                return True
            known = archive.read(lambda store: store.get(list(going)))
            archive.forget_only(list(going), now=self._clock())
        self._tell(space, going)
        live = sum(it.is_live for it in oldest if it.id in going)
        self._held = replace(held, live=held.live - live, leaving=held.leaving + len(going))
        self._forgotten(Forgotten.of(space, list(going), known.values()))
        self._touch(space)
        return False

    def _within_reach(self, space: Namespace, held: Holding) -> Quota:
        """The quota; without its limit of size where the files did not shrink the last time."""
        quota = self._quota
        if held.leaving or not is_too_big(held, quota):
            return quota
        self._stuck.discard(space)
        before, hoped = self._hoped.get(space, (held.used, 0))
        if is_out_of_reach(held, quota) or before - held.used < _GOT_BACK * hoped:
            self._stuck.add(space)
            return replace(quota, max_bytes=None)
        self._hoped[space] = (held.used, held.used - (quota.max_bytes or 0))
        return quota

    def _tell(self, space: Namespace, going: Mapping[str, Why]) -> None:
        reasons = ", ".join(sorted(set(going.values())))
        log.info("%s: %d memories over %s are forgotten", space.label, len(going), reasons)
        self._went.put(space, Counter(self.went(space)) + Counter(going.values()))


def holding(archive: Archive, quota: Quota) -> Holding:
    """What counts against the limits; sizes only where one is set."""
    live = archive.read(lambda store: store.evictable_count())
    leaving = len(archive.read(lambda store: store.forgotten()))
    if quota.max_bytes is None:
        return Holding(live=live, leaving=leaving)
    counts = archive.read(lambda store: store.counts())
    return Holding(
        live=live,
        leaving=leaving,
        total=counts["live"] + counts["removed"] + leaving,
        erased=counts["forgotten"] - leaving,
        used=_used(archive, counts["embedded"]),
    )


def _used(archive: Archive, embedded: int) -> int:
    """Without the room of vectors that nobody finds any more, those of an earlier model for one:
    it is given back in time, and by forgetting no sooner.
    """
    usage = usage_of(archive.folder)
    vectors = usage.index.get(VECTORS, 0)
    wanted = embedded * (archive.embedded.dim * _HALF + _FOUND_BY)
    return usage.lasting - max(0, vectors - wanted)


def preview(memory: LongTermMemory, quota: Quota, *, now: float) -> Preview:
    """What would go, without doing it."""
    if not quota.is_set:
        return Preview()
    spaces = memory.latest_used(_MOST_COUNTED)
    looks = [_look(memory, it, quota, now) for it in spaces]
    counts = [count for count, _ in looks if count]
    return Preview(
        memories=sum(counts),
        namespaces=len(counts),
        out_of_reach=sum(is_out for _, is_out in looks),
        uncounted=len(memory.namespaces()) - len(spaces),
    )


def _look(memory: LongTermMemory, space: Namespace, quota: Quota, now: float) -> tuple[int, bool]:
    """About how many of one namespace are over a limit, since all limits take the oldest; and
    whether its size is out of reach.
    """
    with memory.using(space) as archive:
        held = holding(archive, quota)
        limit = quota.oldest_allowed(now)
        old = 0
        if limit is not None:
            old = archive.read(lambda store: store.evictable_count(before=limit))
    count = max(old, too_many(held.live, quota), too_big(held, quota))
    return count, is_out_of_reach(held, quota)
