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
from ..infra.deadlines import Errands
from ..storage.aliases import Aliases
from ..storage.contract import MemoryStore
from ..storage.exchange_marks import left_behind
from ..storage.folder_swap import end_exchange
from ..storage.manifest import read_manifest, write_manifest
from .namespace_memory import Archive, OpenStore

MOST_OPEN = 128  # each holds some files open, of which a process has about 1000

_NO_ALIASES = Aliases()

T = TypeVar("T")


@dataclass(slots=True, eq=False)
class _Slot:
    """A namespace that is open, or about to be. `alone` is the thread that has it to itself."""

    namespace: Namespace
    aliases: Aliases | None = None  # by which its name was last found to mean itself
    opening: threading.RLock = field(default_factory=threading.RLock)
    archive: Archive | None = None
    users: int = 0
    alone: int = 0


class Spaces:
    """Safe for many threads. Of those that nobody uses at most `most` stay open; `begin` gets each
    before anybody else does.
    """

    def __init__(
        self,
        root: Path,
        *,
        open_store: OpenStore,
        aliases: Callable[[], Aliases] = lambda: _NO_ALIASES,
        begin: Callable[[Archive], None] = lambda _: None,
        most: int = MOST_OPEN,
    ) -> None:
        self.root = root
        self._aliases = aliases
        self._open_store = open_store
        self._begin = begin
        self.most = most
        self._slots: OrderedDict[Namespace, _Slot] = OrderedDict()
        self._changed = threading.Condition()
        self._exchanges = 0
        self._horizons: dict[Namespace, int] = {}
        self._told: dict[Namespace, list[str]] = {}
        self._errands = Errands()

    @contextmanager
    def using(self, namespace: Namespace) -> Iterator[Archive]:
        """The namespace that is meant by now, open. Raises StorageFailed, StorageCorrupt; in a
        hurry StorageBusy.
        """
        slot = self._entered(namespace)
        try:
            yield self._opened(slot)
        finally:
            self._leave(slot)

    def read(self, namespace: Namespace, use: Callable[[MemoryStore], T]) -> T:
        """What `use` makes of its store."""
        with self.using(namespace) as archive:
            return archive.read(use)

    @contextmanager
    def alone(self, namespace: Namespace) -> Iterator[Archive]:
        """The namespace, open and used by nobody else; closed behind. Waits for the others."""
        with self._taken(namespace) as slot:
            yield self._opened(slot)

    @contextmanager
    def closed(self, namespaces: Collection[Namespace]) -> Iterator[None]:
        """Nothing of these is open for anybody else meanwhile: their folders can be exchanged."""
        with ExitStack() as taken:
            for namespace in sorted(set(namespaces), key=lambda it: it.label):
                taken.enter_context(self._taken(namespace))
                self._horizons.pop(namespace, None)
                self._told.pop(namespace, None)
            yield

    def resolve(self, name: Namespace) -> Namespace:
        """Returns the namespace that a name means by now.

        One by which memories are open means itself as long as the aliases stay as they are, so
        that a name resolved once is not looked up again on its way.
        """
        return self._look_up(name)[0]

    def horizon(self, namespace: Namespace) -> int | None:
        """The last seq that there was when the namespace was first opened; None before."""
        return self._horizons.get(namespace)

    def move_horizon(self, namespace: Namespace, seq: int) -> None:
        self._horizons[namespace] = seq

    def problems(self) -> list[str]:
        """What was found damaged in the folders opened so far, and what exchanges left behind."""
        with self._changed:
            found = {it: list(told) for it, told in self._told.items()}
            for slot in self._slots.values():
                if slot.archive is not None:
                    known = found.setdefault(slot.namespace, [])
                    known += [it for it in slot.archive.problems if it not in known]
        damaged = [f"{space.label}: {it}" for space, told in found.items() for it in told]
        return [*damaged, *_left_behind(self.root)]

    @property
    def open_count(self) -> int:
        with self._changed:
            return sum(slot.archive is not None for slot in self._slots.values())

    def close(self) -> None:
        """Closes all of them; what is used afterwards is opened again."""
        with self._changed:
            known = list(self._slots)
        for namespace in known:
            with self._taken(namespace):
                pass

    def _entered(self, name: Namespace) -> _Slot:
        """An interrupted exchange of folders is ended first: it may change what the name means."""
        slot = self._enter(name)
        if slot.archive is not None:
            return slot
        try:
            end_exchange(self.root, slot.namespace)
            if self.resolve(name) == slot.namespace:
                return slot
        except StorageError:
            self._leave(slot)
            raise
        self._leave(slot)
        return self._enter(name)

    def _enter(self, name: Namespace) -> _Slot:
        """Finds the meaning of the name without the lock: that asks the disk, and each thread that
        did so with the lock had all others wait for the interpreter as well.
        """
        me = threading.get_ident()
        while True:
            known = self._exchanges
            namespace, aliases = self._look_up(name)
            with self._changed:
                if known != self._exchanges:
                    continue  # the name may have got another meaning since
                slot = self._slots.setdefault(namespace, _Slot(namespace))
                slot.aliases = aliases
                if slot.alone in (0, me):
                    slot.users += 1
                    self._slots.move_to_end(namespace)
                    return slot
                deadlines.wait(self._changed, namespace)

    def _look_up(self, name: Namespace) -> tuple[Namespace, Aliases]:
        """Returns the namespace that a name means, and the aliases that say so."""
        aliases, slot = self._aliases(), self._slots.get(name)
        is_its_own = slot is not None and slot.aliases is aliases
        return name if is_its_own else aliases.resolve(name), aliases

    def _opened(self, slot: _Slot) -> Archive:
        if slot.archive is None and deadlines.is_hurried():
            open_it = partial(self._open_for_others, slot.namespace)
            self._errands.have_done(slot.namespace.label, open_it)
        with slot.opening:
            if slot.archive is not None and slot.users == 1:
                self._let_go(slot, slot.archive)
            if slot.archive is None:
                slot.archive = self._open(slot.namespace)
            return slot.archive

    def _open_for_others(self, namespace: Namespace) -> None:
        """In use meanwhile, so that whoever stops waiting for it leaves nothing half open."""
        with self.using(namespace):
            pass

    def _let_go(self, slot: _Slot, archive: Archive) -> None:
        """What was deleted or exchanged beneath it is no memory any more: what lies there is."""
        if not archive.store.is_in_place():
            told = f"{archive.folder}, or its index, was deleted or exchanged while in use"
            archive.problems.append(f"{told}: what lies there now was opened instead")
            with suppress(StorageError):
                self._close(slot)

    def _open(self, namespace: Namespace) -> Archive:
        end_exchange(self.root, namespace)  # else an empty folder would be opened in its place
        archive = Archive(namespace.folder(self.root), open_store=self._open_store)
        try:
            self._prepare(namespace, archive)
        except BaseException:  # else it would keep the folder from everybody, this program too
            archive.let_go()
            raise
        return archive

    def _prepare(self, namespace: Namespace, archive: Archive) -> None:
        last = archive.read(lambda store: store.last_seq())
        self._horizons[namespace] = min(last, self._horizons.get(namespace, last))
        archive.problems += _name(namespace, archive.folder)
        self._begin(archive)

    def _leave(self, slot: _Slot) -> None:
        with self._changed:
            slot.users -= 1
            self._changed.notify_all()
            idle = self._take_idle()
        for old in idle:
            self._shut(old, Archive.let_go)

    def _take_idle(self) -> list[_Slot]:
        """Those beyond the limit that nobody uses, the one not used for longest first."""
        surplus = len(self._slots) - self.most
        if surplus <= 0:
            return []
        unused = (it for it in self._slots.values() if not it.users and not it.alone)
        idle = [slot for slot, _ in zip(unused, range(surplus), strict=False)]
        for slot in idle:
            slot.alone = threading.get_ident()
        return idle

    @contextmanager
    def _taken(self, namespace: Namespace) -> Iterator[_Slot]:
        """Its slot, for this thread alone; closed behind, and before it is given."""
        slot = self._take(namespace)
        try:
            self._close(slot)
            yield slot
        finally:
            with self._changed:
                self._exchanges += 1
            self._shut(slot)

    def _take(self, namespace: Namespace) -> _Slot:
        with self._changed:
            while True:
                slot = self._slots.setdefault(namespace, _Slot(namespace))
                if not slot.users and not slot.alone:
                    slot.alone = threading.get_ident()
                    return slot
                self._changed.wait()

    def _shut(self, slot: _Slot, close: Callable[[Archive], None] = Archive.close) -> None:
        """Gives a slot back that this thread has alone, closed."""
        try:
            self._close(slot, close)
        finally:
            with self._changed:
                slot.alone = 0
                if not slot.users:
                    self._slots.pop(slot.namespace, None)
                self._changed.notify_all()

    def _close(self, slot: _Slot, close: Callable[[Archive], None] = Archive.close) -> None:
        archive, slot.archive = slot.archive, None
        if archive is None:
            return
        if archive.problems:
            with self._changed:
                known = self._told.setdefault(slot.namespace, [])
                known += [it for it in archive.problems if it not in known]
        close(archive)


def _left_behind(root: Path) -> list[str]:
    try:
        return [str(it) for it in left_behind(root)]
    except StorageFailed as exc:
        return [str(exc)]


def _name(namespace: Namespace, folder: Path) -> list[str]:
    """The manifest tells the names that a folder's own name is too short for."""
    try:
        if not read_manifest(folder):
            write_manifest(namespace, folder)
    except StorageCorrupt as exc:
        return [str(exc)]
    except StorageFailed:
        return []  # a read-only folder can still be recalled from
    return []
