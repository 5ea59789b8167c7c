"""The open namespaces: at most so many at a time, none of which waits for another.

A namespace is opened by whoever comes first and stays open until others were used more lately. It
is in use within using(); alone() waits until nobody else uses it, and others wait meanwhile. One
whose files are no longer those that were opened is opened again.
"""

import threading
from collections import OrderedDict
from collections.abc import Callable, Collection, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TypeVar

from ..domain.errors import StorageCorrupt, StorageError, StorageFailed
from ..domain.namespaces import Namespace
from ..infra import deadlines
from ..infra.deadlines import SingleFlight
from ..storage.aliases import Aliases
from ..storage.contract import MemoryStore
from ..storage.exchange_marks import unfinished_swaps
from ..storage.folder_swap import finish_swap_of
from ..storage.manifest import read_manifest, write_manifest
from .namespace_memory import NamespaceMemory, OpenStore

MAX_OPEN = 128  # each holds some files open, of which a process has about 1000

_NO_ALIASES = Aliases()

T = TypeVar("T")


@dataclass(slots=True, eq=False)
class _OpenNamespace:
    """A namespace that is open, or about to be. `alone` is the thread that has it to itself."""

    namespace: Namespace
    aliases: Aliases | None = None  # by which its name was last found to mean itself
    opening_lock: threading.RLock = field(default_factory=threading.RLock)
    archive: NamespaceMemory | None = None
    users: int = 0
    exclusive_thread: int = 0


class NamespacePool:
    """Safe for many threads. Of those that nobody uses at most `most` stay open; `begin` gets each
    before anybody else does.
    """

    def __init__(
        self,
        root: Path,
        *,
        open_store: OpenStore,
        aliases: Callable[[], Aliases] = lambda: _NO_ALIASES,
        begin: Callable[[NamespaceMemory], None] = lambda _: None,
        most: int = MAX_OPEN,
    ) -> None:
        self.root = root
        self._aliases = aliases
        self._open_store = open_store
        self._begin = begin
        self.max_open = most
        self._slots: OrderedDict[Namespace, _OpenNamespace] = OrderedDict()
        self._changed = threading.Condition()
        self._exclusive_count = 0
        self._visible_until: dict[Namespace, int] = {}
        self._known_problems: dict[Namespace, list[str]] = {}
        self._single_flight = SingleFlight()

    @contextmanager
    def open_namespace(self, namespace: Namespace) -> Iterator[NamespaceMemory]:
        """The namespace that is meant by now, open. Raises StorageFailed, StorageCorrupt; in a
        hurry StorageBusy.
        """
        slot = self._acquire_slot(namespace)
        try:
            yield self._ensure_open(slot)
        finally:
            self._release_slot(slot)

    def query(self, namespace: Namespace, use: Callable[[MemoryStore], T]) -> T:
        """What `use` makes of its store."""
        with self.open_namespace(namespace) as archive:
            return archive.query(use)

    @contextmanager
    def exclusive(self, namespace: Namespace) -> Iterator[NamespaceMemory]:
        """The namespace, open and used by nobody else; closed behind. Waits for the others."""
        with self._exclusive_slot(namespace) as slot:
            yield self._ensure_open(slot)

    @contextmanager
    def closed(self, namespaces: Collection[Namespace]) -> Iterator[None]:
        """Nothing of these is open for anybody else meanwhile: their folders can be exchanged."""
        with ExitStack() as taken:
            for namespace in sorted(set(namespaces), key=lambda it: it.label):
                taken.enter_context(self._exclusive_slot(namespace))
                self._visible_until.pop(namespace, None)
                self._known_problems.pop(namespace, None)
            yield

    def resolve(self, name: Namespace) -> Namespace:
        """Returns the namespace that a name means by now.

        One by which memories are open means itself as long as the aliases stay as they are, so
        that a name resolved once is not looked up again on its way.
        """
        return self._look_up(name)[0]

    def visible_until_seq(self, namespace: Namespace) -> int | None:
        """The last seq that there was when the namespace was first opened; None before."""
        return self._visible_until.get(namespace)

    def set_visible_until(self, namespace: Namespace, seq: int) -> None:
        self._visible_until[namespace] = seq

    def problems(self) -> list[str]:
        """What was found damaged in the folders opened so far, and what exchanges left behind."""
        with self._changed:
            found = {it: list(told) for it, told in self._known_problems.items()}
            for slot in self._slots.values():
                if slot.archive is not None:
                    known = found.setdefault(slot.namespace, [])
                    known += [it for it in slot.archive.problems if it not in known]
        damaged = [f"{space.label}: {it}" for space, told in found.items() for it in told]
        return [*damaged, *_unfinished_swaps(self.root)]

    @property
    def open_count(self) -> int:
        with self._changed:
            return sum(slot.archive is not None for slot in self._slots.values())

    def close(self) -> None:
        """Closes all of them; what is used afterwards is opened again."""
        with self._changed:
            known = list(self._slots)
        for namespace in known:
            with self._exclusive_slot(namespace):
                pass

    def _acquire_slot(self, name: Namespace) -> _OpenNamespace:
        """An interrupted exchange of folders is ended first: it may change what the name means."""
        slot = self._find_slot(name)
        if slot.archive is not None:
            return slot
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
        """Finds the meaning of the name without the lock: that asks the disk, and each thread that
        did so with the lock had all others wait for the interpreter as well.
        """
        me = threading.get_ident()
        while True:
            known = self._exclusive_count
            namespace, aliases = self._look_up(name)
            with self._changed:
                if known != self._exclusive_count:
                    continue  # the name may have got another meaning since
                slot = self._slots.setdefault(namespace, _OpenNamespace(namespace))
                slot.aliases = aliases
                if slot.exclusive_thread in (0, me):
                    slot.users += 1
                    self._slots.move_to_end(namespace)
                    return slot
                deadlines.wait_for_change(self._changed, namespace)

    def _look_up(self, name: Namespace) -> tuple[Namespace, Aliases]:
        """Returns the namespace that a name means, and the aliases that say so."""
        aliases, slot = self._aliases(), self._slots.get(name)
        is_its_own = slot is not None and slot.aliases is aliases
        return name if is_its_own else aliases.resolve(name), aliases

    def _ensure_open(self, slot: _OpenNamespace) -> NamespaceMemory:
        if slot.archive is None and deadlines.has_time_limit():
            open_it = partial(self._open_in_background, slot.namespace)
            self._single_flight.run_once(slot.namespace.label, open_it)
        with slot.opening_lock:
            if slot.archive is not None and slot.users == 1:
                self._close_if_replaced(slot, slot.archive)
            if slot.archive is None:
                slot.archive = self._open(slot.namespace)
            return slot.archive

    def _open_in_background(self, namespace: Namespace) -> None:
        """In use meanwhile, so that whoever stops waiting for it leaves nothing half open."""
        with self.open_namespace(namespace):
            pass

    def _close_if_replaced(self, slot: _OpenNamespace, archive: NamespaceMemory) -> None:
        """What was deleted or exchanged beneath it is no memory any more: what lies there is."""
        if not archive.store.is_in_place():
            told = f"{archive.folder}, or its index, was deleted or exchanged while in use"
            archive.problems.append(f"{told}: what lies there now was opened instead")
            with suppress(StorageError):
                self._close(slot)

    def _open(self, namespace: Namespace) -> NamespaceMemory:
        finish_swap_of(self.root, namespace)  # else an empty folder would be opened in its place
        archive = NamespaceMemory(namespace.folder(self.root), open_store=self._open_store)
        try:
            self._prepare(namespace, archive)
        except BaseException:  # else it would keep the folder from everybody, this program too
            archive.close_without_sync()
            raise
        return archive

    def _prepare(self, namespace: Namespace, archive: NamespaceMemory) -> None:
        last = archive.query(lambda store: store.last_seq())
        self._visible_until[namespace] = min(last, self._visible_until.get(namespace, last))
        archive.problems += _ensure_manifest(namespace, archive.folder)
        self._begin(archive)

    def _release_slot(self, slot: _OpenNamespace) -> None:
        with self._changed:
            slot.users -= 1
            self._changed.notify_all()
            idle = self._claim_idle()
        for old in idle:
            self._release_exclusive(old, NamespaceMemory.close_without_sync)

    def _claim_idle(self) -> list[_OpenNamespace]:
        """Those beyond the limit that nobody uses, the one not used for longest first."""
        surplus = len(self._slots) - self.max_open
        if surplus <= 0:
            return []
        unused = (it for it in self._slots.values() if not it.users and not it.exclusive_thread)
        idle = [slot for slot, _ in zip(unused, range(surplus), strict=False)]
        for slot in idle:
            slot.exclusive_thread = threading.get_ident()
        return idle

    @contextmanager
    def _exclusive_slot(self, namespace: Namespace) -> Iterator[_OpenNamespace]:
        """Its slot, for this thread alone; closed behind, and before it is given."""
        slot = self._acquire_exclusive(namespace)
        try:
            self._close(slot)
            yield slot
        finally:
            with self._changed:
                self._exclusive_count += 1
            self._release_exclusive(slot)

    def _acquire_exclusive(self, namespace: Namespace) -> _OpenNamespace:
        with self._changed:
            while True:
                slot = self._slots.setdefault(namespace, _OpenNamespace(namespace))
                if not slot.users and not slot.exclusive_thread:
                    slot.exclusive_thread = threading.get_ident()
                    return slot
                self._changed.wait()

    def _release_exclusive(
        self, slot: _OpenNamespace, close: Callable[[NamespaceMemory], None] = NamespaceMemory.close
    ) -> None:
        """Gives a slot back that this thread has alone, closed."""
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
        archive, slot.archive = slot.archive, None
        if archive is None:
            return
        if archive.problems:
            with self._changed:
                known = self._known_problems.setdefault(slot.namespace, [])
                known += [it for it in archive.problems if it not in known]
        close(archive)


def _unfinished_swaps(root: Path) -> list[str]:
    try:
        return [str(it) for it in unfinished_swaps(root)]
    except StorageFailed as exc:
        return [str(exc)]


def _ensure_manifest(namespace: Namespace, folder: Path) -> list[str]:
    """The manifest tells the names that a folder's own name is too short for."""
    try:
        if not read_manifest(folder):
            write_manifest(namespace, folder)
    except StorageCorrupt as exc:
        return [str(exc)]
    except StorageFailed:
        return []  # a read-only folder can still be recalled from
    return []
