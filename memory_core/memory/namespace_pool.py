"""The pool of open namespaces, which is limited in size; none of them waits for another.

The first use opens a namespace. It stays open until it is the least recently used. exclusive()
waits until no other thread uses it, and makes others wait meanwhile. A namespace whose files were
replaced on disk is opened again.
"""

import threading
from collections import OrderedDict
from collections.abc import Callable, Collection, Iterator
from contextlib import ExitStack, closing, contextmanager, suppress
from dataclasses import dataclass, field
from functools import partial
from itertools import islice
from pathlib import Path
from typing import NamedTuple, TypeVar

from ..domain.errors import StorageCorrupt, StorageError, StorageFailed
from ..domain.namespaces import Namespace
from ..infra import deadlines
from ..infra.deadlines import SingleFlight
from ..storage.aliases import Aliases
from ..storage.engine import OpenStore, engine_of
from ..storage.folder_swap import finish_swap_of
from ..storage.held import HeldFile
from ..storage.holder import Announcer
from ..storage.store import MemoryStore
from ..storage.swap_markers import unfinished_swaps
from .index_sync import Problems
from .namespace_memory import INDEX, NamespaceMemory

MAX_OPEN = 128  # each keeps some files open, and a process may open about 1000

_NO_ALIASES = Aliases()

T = TypeVar("T")


class NamespaceCount(NamedTuple):
    memories: int
    conversations: int


@dataclass(slots=True, eq=False)
class _OpenNamespace:
    """A namespace that is open, or about to be. `exclusive_thread` alone may use it, if set."""

    namespace: Namespace
    aliases: Aliases | None = None  # with which its name was resolved
    opening_lock: threading.RLock = field(default_factory=threading.RLock)
    opened: NamespaceMemory | None = None
    users: int = 0
    exclusive_thread: int = 0


class NamespacePool:
    """Safe for many threads. At most `max_open` unused namespaces stay open.

    `begin` is called with each namespace that is opened, before anybody else uses it.
    """

    def __init__(
        self,
        root: Path,
        *,
        open_store: OpenStore,
        aliases: Callable[[], Aliases] = lambda: _NO_ALIASES,
        begin: Callable[[NamespaceMemory], None] = lambda _: None,
        max_open: int = MAX_OPEN,
    ) -> None:
        self.root = root
        self.announcer = Announcer()
        self._aliases = aliases
        self._engine = engine_of(open_store, root)
        self._begin = begin
        self.max_open = max_open
        self._slots: OrderedDict[Namespace, _OpenNamespace] = OrderedDict()
        self._changed = threading.Condition()
        self._exclusive_count = 0
        self.visible_until: dict[Namespace, int] = {}  # last seq at the first opening
        self._problems: dict[Namespace, Problems] = {}  # of closed namespaces, too
        self._single_flight = SingleFlight()
        self._has_ended = False

    @contextmanager
    def open_namespace(self, namespace: Namespace) -> Iterator[NamespaceMemory]:
        """Opens the namespace that this name stands for, for the length of the block.

        Raises StorageFailed, StorageCorrupt, and StorageBusy if a time limit runs out.
        """
        slot = self._find_slot(namespace)
        if slot.opened is None:
            slot = self._find_after_swap(namespace, slot)
        try:
            yield self._ensure_open(slot)
        finally:
            self._release_slot(slot)

    def query(self, namespace: Namespace, use: Callable[[MemoryStore], T]) -> T:
        """Returns the result of `use` on the namespace's store."""
        with self.open_namespace(namespace) as opened:
            return opened.query(use)

    def count_memories(self, name: Namespace) -> NamespaceCount:
        """Returns the numbers of live memories and of conversations.

        A closed namespace is only opened if its index lacks events: a list of all namespaces would
        lock each for writing, and close those in use.
        """
        slot = self._find_slot(name)
        try:
            counts = None if slot.opened else self._count_closed(slot.namespace)
        finally:
            self._release_slot(slot)
        counts = counts or self.query(name, lambda store: store.counts())
        return NamespaceCount(counts["live"], counts["conversations"])

    def _count_closed(self, namespace: Namespace) -> dict[str, int] | None:
        """Returns the counts of the store alone; None unless it has all events of the logs."""
        folder = namespace.folder(self.root)
        log_ends = self._engine.open_log(folder).logs()
        if not log_ends:
            return None  # opening a store makes its folder
        with suppress(StorageError), closing(self._engine(folder / INDEX)) as store:
            if store.positions() == log_ends:
                return store.counts()
        return None  # opening the namespace brings the store up to date, or repairs it

    @contextmanager
    def exclusive(self, namespace: Namespace) -> Iterator[NamespaceMemory]:
        """Opens the namespace for this thread alone once others are done; closes it afterwards."""
        with self._exclusive_slot(namespace) as slot:
            yield self._ensure_open(slot)

    @contextmanager
    def closed(self, namespaces: Collection[Namespace]) -> Iterator[None]:
        """Keeps these namespaces closed, so that their folders can be exchanged.

        Other programs with the same database still write: a swap compares what it replaces.
        """
        with ExitStack() as taken:
            for namespace in sorted(set(namespaces), key=lambda space: space.label):
                taken.enter_context(self._exclusive_slot(namespace))
                self.visible_until.pop(namespace, None)
                self._problems.pop(namespace, None)
            yield

    def resolve(self, name: Namespace) -> Namespace:
        """Returns the namespace that a name stands for now.

        An open namespace resolves to itself until the aliases change, so that a resolved name is
        not resolved again.
        """
        return self._look_up(name)[0]

    def has_namespace(self, name: Namespace) -> bool:
        """Returns whether the namespace that this name stands for exists."""
        return self._engine.shared.namespaces.has(self.resolve(name))

    def has_log(self, name: Namespace, log: str) -> bool:
        """Returns whether anything was ever written to this log; opens no namespace."""
        return self._engine.open_log(self.folder_of(name)).has_log(log)

    def folder_of(self, name: Namespace) -> Path:
        """Returns the folder of the namespace that this name stands for; it may not exist."""
        return self.resolve(name).folder(self.root)

    def held_file(self, name: Namespace) -> HeldFile:
        """Returns the exchanges held back in the namespace that this name stands for."""
        return HeldFile(self.folder_of(name), self._engine.shared.files)

    def problems(self) -> list[str]:
        """Returns the damage found in opened folders, and unfinished exchanges of folders."""
        with self._changed:
            known = [(space, problems.all()) for space, problems in self._problems.items()]
        damage = [f"{space.label}: {problem}" for space, found in known for problem in found]
        try:
            return [*damage, *map(str, unfinished_swaps(self.root))]
        except StorageFailed as exc:
            return [*damage, str(exc)]

    @property
    def open_count(self) -> int:
        with self._changed:
            return sum(slot.opened is not None for slot in self._slots.values())

    def close(self) -> None:
        """Closes all namespaces. A later use opens them again."""
        with self._changed:
            known = list(self._slots)
        for namespace in known:
            with self._exclusive_slot(namespace):
                pass
        self._engine.close()

    def end(self) -> None:
        """Closes all namespaces for good: one that is opened again would stay locked for others."""
        self._has_ended = True
        self.close()

    def _find_after_swap(self, name: Namespace, slot: _OpenNamespace) -> _OpenNamespace:
        """Finishes an interrupted exchange of folders, which may change the name's meaning."""
        try:
            finish_swap_of(self.root, slot.namespace)
            if self.resolve(name) == slot.namespace:
                return slot
        except StorageError:
            self._release_slot(slot)
            raise
        self._release_slot(slot)
        return self._find_slot(name)

    def _find_slot(self, name: Namespace) -> _OpenNamespace:
        """Returns the name's slot, marked as used, once no other thread has it exclusively.

        Resolves the name without the lock, because that reads the disk: others would wait for it.
        """
        me = threading.get_ident()
        while True:
            known = self._exclusive_count
            namespace, aliases = self._look_up(name)
            with self._changed:
                if known != self._exclusive_count:
                    continue  # the meaning of the name may have changed since
                slot = self._slots.setdefault(namespace, _OpenNamespace(namespace))
                slot.aliases = aliases
                if slot.exclusive_thread in (0, me):
                    slot.users += 1
                    self._slots.move_to_end(namespace)
                    return slot
                deadlines.wait_for_change(self._changed, namespace)

    def _look_up(self, name: Namespace) -> tuple[Namespace, Aliases]:
        """Returns the namespace that a name stands for, and the aliases used."""
        aliases, slot = self._aliases(), self._slots.get(name)
        is_its_own = slot is not None and slot.aliases is aliases
        return name if is_its_own else aliases.resolve(name), aliases

    def _ensure_open(self, slot: _OpenNamespace) -> NamespaceMemory:
        if slot.opened is None and deadlines.has_time_limit():
            open_it = partial(self._open_in_background, slot.namespace)
            self._single_flight.run_once(slot.namespace.label, open_it)
        with slot.opening_lock:
            if slot.opened and slot.users == 1 and not slot.opened.store.is_in_place():
                self._close_replaced(slot, slot.opened)
            if slot.opened is None:
                slot.opened = self._open(slot.namespace)
            return slot.opened

    def _open_in_background(self, namespace: Namespace) -> None:
        """Opens the namespace completely, even if the caller stops waiting for it."""
        with self.open_namespace(namespace):
            pass

    def _close_replaced(self, slot: _OpenNamespace, opened: NamespaceMemory) -> None:
        """Closes a namespace whose files were deleted or exchanged: the new ones count."""
        change = f"{opened.folder}, or its index, was deleted or exchanged while in use"
        opened.problems.report(f"{change}: the files there now were opened instead")
        with suppress(StorageError):
            self._close(slot)

    def _open(self, namespace: Namespace) -> NamespaceMemory:
        if self._has_ended:
            raise StorageFailed("the memory was closed: open it again")
        finish_swap_of(self.root, namespace)  # else an empty folder would be opened in its place
        opened = NamespaceMemory(
            namespace.folder(self.root), open_store=self._engine, announcer=self.announcer
        )
        try:
            self._prepare(namespace, opened)
        except BaseException:  # else the folder would stay locked for all, this program too
            opened.close_without_sync()
            raise
        return opened

    def _prepare(self, namespace: Namespace, opened: NamespaceMemory) -> None:
        last = opened.query(lambda store: store.catalog.summary().last_seq)
        self.visible_until[namespace] = min(last, self.visible_until.get(namespace, last))
        try:  # stores names that cannot be read from the folder's name
            self._engine.shared.namespaces.note_names(namespace)
        except StorageCorrupt as exc:
            opened.problems.report(str(exc))
        except StorageFailed:
            pass  # a read-only folder can still be recalled from
        self._begin(opened)
        with self._changed:
            before = self._problems.get(namespace, Problems())
            for damage in before.found:
                opened.problems.report(damage)
            self._problems[namespace] = opened.problems

    def _release_slot(self, slot: _OpenNamespace) -> None:
        with self._changed:
            slot.users -= 1
            self._changed.notify_all()
            if not (slot.users or slot.opened or slot.exclusive_thread):
                self._slots.pop(slot.namespace, None)
            unused = (
                old for old in self._slots.values() if not (old.users or old.exclusive_thread)
            )
            surplus = list(islice(unused, max(0, len(self._slots) - self.max_open)))
            for old in surplus:  # the least recently used
                old.exclusive_thread = threading.get_ident()
        for old in surplus:
            self._release_exclusive(old, NamespaceMemory.close_without_sync)

    @contextmanager
    def _exclusive_slot(self, namespace: Namespace) -> Iterator[_OpenNamespace]:
        """Reserves the slot for this thread alone; closes its namespace before and after."""
        with self._changed:
            slot = self._slots.setdefault(namespace, _OpenNamespace(namespace))
            while slot.users or slot.exclusive_thread:
                self._changed.wait()
                slot = self._slots.setdefault(namespace, _OpenNamespace(namespace))
            slot.exclusive_thread = threading.get_ident()
        try:
            self._close(slot)
            yield slot
        finally:
            with self._changed:
                self._exclusive_count += 1
            self._release_exclusive(slot)

    def _release_exclusive(
        self, slot: _OpenNamespace, close: Callable[[NamespaceMemory], None] = NamespaceMemory.close
    ) -> None:
        """Closes the namespace of an exclusive slot, and gives the slot back."""
        try:
            self._close(slot, close)
        finally:
            with self._changed:
                slot.exclusive_thread = 0
                if not slot.users:
                    self._slots.pop(slot.namespace, None)
                self._changed.notify_all()

    def _close(
        self, slot: _OpenNamespace, close: Callable[[NamespaceMemory], None] = NamespaceMemory.close
    ) -> None:
        opened, slot.opened = slot.opened, None
        if opened is None:
            return
        try:
            close(opened)
        finally:
            with self._changed:
                if not opened.problems.all():
                    self._problems.pop(slot.namespace, None)
