"""Notices what became of the host's chats without a message: edited, added, renamed, deleted.

It looks at names and times only, a few at each step; whatever has changed is left to the settler.
A file counts as deleted only when the very folder it was seen in was listed to its end without it,
twice; an unreadable, missing or exchanged folder says nothing about the chats in it.
"""

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Protocol

from ...domain.errors import LongTermMemoryError
from ...domain.namespaces import Namespace, Scope
from ...infra.lru_cache import Recent
from ...memory.runtime import Runtime
from ..chat.chat_file import Stamp
from ..chat.host_protocol import Host
from ..chat.paths import ChatFolder, chats_in, conversation_of, folder_of, place, was_in, where_now
from .chat_registry import ChatBook, SeenChat
from .moved_chats import name_now, owners_without_folder
from .owners import Owners

GONE_S = 5.0  # a renamed chat is written down in its new place by then
PAUSE_S = 3.0  # between two looks at everything
_MOMENT_S = 8.0  # nobody makes a chat and gives it a name in that time
_STEP_S = 0.004
_MOST_VANISHED = 256
_SEARCHED_S = 600.0  # between two searches for a missing folder's chats by what they say
_NAMES_S = 60.0  # who has memories changes seldom, and is told by talking to them


class Watcher(Protocol):
    """What the settler offers: it reads and writes what is found here."""

    def offer(self, path: Path, namespace: Namespace) -> None:
        """This chat has changed; it may be refused for now."""
        ...

    def is_waiting(self, folder: Path) -> bool:
        """Whether a chat of this folder is still to be written down."""
        ...

    def gone(self, chat: SeenChat) -> bool:
        """This chat was deleted; returns whether something of it is still remembered."""
        ...


@dataclass(slots=True)
class _Look:
    """One folder as it was found."""

    folder: ChatFolder
    place: str
    is_first: bool
    names: set[str] = field(default_factory=set)
    fresh: list[tuple[str, Stamp]] = field(default_factory=list)
    offered: int = 0
    unowned: int = 0


class ChatScan:
    """For one thread at a time. `now` is the time of day, in seconds."""

    def __init__(
        self,
        runtime: Runtime,
        watcher: Watcher,
        *,
        host: Callable[[], Host],
        book: Callable[[], ChatBook],
        now: Callable[[], float] = time.time,
    ) -> None:
        self._host = host
        self._runtime = runtime
        self._watcher = watcher
        self._book = book
        self._now = now
        self._started = now()
        self.moved: dict[Namespace, str] = {}
        self._talked: set[Namespace] = set()
        self._owners: Owners | None = None
        self._named_at = 0.0
        self._sweep: Iterator[None] | None = None
        self._swept_at = 0.0
        self._looked: dict[Path, float] = {}
        self._searched: dict[Path, tuple[float, tuple[Namespace, ...], str | None]] = {}
        self._vanished: Recent[Path, bool] = Recent(_MOST_VANISHED)

    def talked(self, namespace: Namespace) -> None:
        """Somebody talks to them: their chats are looked after from now on."""
        if namespace not in self._talked:
            self._talked.add(namespace)
            self._owners = None

    def leave(self, namespace: Namespace) -> None:
        """Its memories are destroyed: none of its chats comes back but by going on with it."""
        names = Owners(self._runtime.memory, self._talked).names(namespace)
        self._talked.discard(namespace)
        self.moved.pop(namespace, None)
        self._owners = self._sweep = None
        self._book().disown(namespace)
        data = self._host().user_data_folder()
        for name in names:
            folder = data and folder_of(data.absolute(), name)
            if folder and namespace.scope in (Scope.CHARACTER, Scope.INSTRUCT):
                with suppress(OSError):  # nothing can be seen there, so nothing comes back
                    self._leave_alone(folder)

    def hand_over(self, namespace: Namespace, new: Namespace) -> None:
        """Its memories and its chats are the new one's."""
        if namespace in self._talked:
            self._talked.discard(namespace)
            self._talked.add(new)
        self.moved.pop(namespace, None)
        self._owners = self._sweep = None
        self._book().hand_over(namespace, new)

    def was_there(self, path: Path) -> bool:
        """Of a file that is gone: whether it was there a moment before that."""
        found = self._vanished.get(path)
        return self._has_just_looked(path.parent) if found is None else found

    def _has_just_looked(self, folder: Path) -> bool:
        return self._now() - self._looked.get(folder, -_MOMENT_S) < _MOMENT_S

    def _leave_alone(self, folder: ChatFolder) -> None:
        here = place(folder.path)
        for name, stamp in chats_in(folder.path):
            seen = self._book().get(folder.path, name)
            if seen is None or seen.namespace is None:
                self._book().put(folder.path / name, stamp, here, None)

    def step(self) -> None:
        """Goes on with the look around, for a few milliseconds."""
        end = time.monotonic() + _STEP_S
        if self._sweep is None:
            if self._now() - self._swept_at < PAUSE_S:
                return
            self._sweep = self._look_around()
        for _ in self._sweep:
            if time.monotonic() >= end:
                return
        self._sweep, self._swept_at = None, self._now()

    def start_over(self) -> None:
        """The book is another one: what was found by the one before does not hold."""
        self._sweep = None

    def look(self) -> None:
        """The whole look around at once."""
        for _ in self._look_around():
            pass

    def _look_around(self) -> Iterator[None]:
        data = self._host().user_data_folder()
        if data is None or self._host().is_multi_user():
            return
        owners = self._known_owners()
        for character in owners.characters():
            folder = folder_of(data.absolute(), character)
            if folder is not None:
                yield from self._look_into(folder, owners)

    def _known_owners(self) -> Owners:
        if self._owners is None or self._now() - self._named_at > _NAMES_S:
            spaces = self._talked | self._book().owners()
            self._owners = Owners(self._runtime.memory, spaces)
            self._named_at = self._now()
        return self._owners

    def _look_into(self, folder: ChatFolder, owners: Owners) -> Iterator[None]:
        try:
            here = place(folder.path)
            look = _Look(folder, here, not self._book().is_visited(folder.path, here))
            for name, stamp in chats_in(folder.path):
                yield
                self._meet(look, name, stamp, owners)
        except FileNotFoundError:
            self._miss_folder(folder)
            return
        except OSError:
            return
        missing = self._missing(look)
        self._note(missing)
        self._looked[folder.path] = self._now()
        self._welcome(look, missing, owners)
        self._tell_unowned(look)
        self._book().visit(folder.path, here)
        if not look.offered and not self._watcher.is_waiting(folder.path):
            self._conclude(missing)

    def _meet(self, look: _Look, name: str, stamp: Stamp, owners: Owners) -> None:
        look.names.add(name)
        self._vanished.pop(look.folder.path / name)
        seen = self._book().get(look.folder.path, name)
        if seen is None:
            look.fresh.append((name, stamp))
            return
        if seen.stamp == stamp:
            self._book().met(seen, look.place)
        else:  # what it was, and when it was missed, is of use until it is written down
            self._offer(look, name, seen.namespace, owners)

    def _offer(self, look: _Look, name: str, owner: Namespace | None, owners: Owners) -> None:
        folder, conversation = look.folder, conversation_of(name)
        owner = (
            owner
            or owners.holder(folder.character, conversation)
            or owners.heir(folder.character, self._host().user_profile())
        )
        if owner is None:
            look.unowned += 1
        else:
            look.offered += 1
            self._watcher.offer(folder.path / name, owner)

    def _welcome(self, look: _Look, missing: Sequence[SeenChat], owners: Owners) -> None:
        """What lay there before the extension came is left alone, also under a new name."""
        folder = look.folder
        known = {it.stamp: it.namespace for it in missing}
        for name, stamp in look.fresh:
            is_held = owners.holder(folder.character, conversation_of(name)) is not None
            is_old = look.is_first and stamp.mtime_ns < self._started * 1e9
            left_alone = stamp in known and known[stamp] is None
            if not is_held and (is_old or left_alone):
                self._book().put(folder.path / name, stamp, look.place, None)
            else:
                self._offer(look, name, known.get(stamp), owners)

    def _tell_unowned(self, look: _Look) -> None:
        part, name = f"unowned {look.folder.path}", look.folder.path.name
        if not look.unowned:
            self._runtime.clear(part)
            return
        self._runtime.report(
            part,
            f"nobody knows which of several users {look.unowned} of the chats in the folder {name} "
            "belong to, so they are not remembered: choose the user profile on the page, or go on "
            "with them there",
        )

    def _missing(self, look: _Look) -> list[SeenChat]:
        """Those seen in this very folder."""
        known = self._book().of_folder(look.folder.path)
        return [it for it in known if it.name not in look.names and it.place == look.place]

    def _note(self, missing: Sequence[SeenChat]) -> None:
        """That they are gone is known at once; why, is concluded later."""
        for path, chat in ((Path(it.folder, it.name), it) for it in missing):
            if self._vanished.get(path) is None:
                self._vanished.put(path, self._has_just_looked(path.parent))
            if chat.missing_since is None:
                self._book().miss(chat, self._now())

    def _miss_folder(self, folder: ChatFolder) -> None:
        """The whole folder is gone: from the very folder it was in, or nothing is known."""
        known = self._book().of_folder(folder.path)
        try:
            known = [it for it in known if was_in(folder.parent, it.place)]
            spaces = {it.namespace for it in known if it.namespace is not None}
            spaces = spaces or set(owners_without_folder(self._runtime.memory, folder))
            moved = where_now(folder, [(it.name, it.stamp) for it in known])
            moved = moved or self._found_by_content(folder, spaces)
        except (OSError, LongTermMemoryError):
            return
        part = f"moved {folder.path.name}"
        is_followed = moved is not None and all(self._follows(it, moved) for it in spaces)
        if moved is None or is_followed:
            self._runtime.clear(part)
            for space in spaces:
                self.moved.pop(space, None)
        if moved is None:
            self._conclude(known)
        elif is_followed:
            for chat in known:  # in its new place it is met anew
                self._book().drop(chat)
        else:
            self.moved |= dict.fromkeys(spaces, moved)
            self._runtime.report(
                part,
                f"the chats of {folder.path.name} now lie in the folder {moved}: what is "
                f"remembered of {folder.path.name} stays with that name until you rename it here",
            )

    def _found_by_content(self, folder: ChatFolder, spaces: Iterable[Namespace]) -> str | None:
        """Costs too much for every look: what was found last holds for a while."""
        key = tuple(sorted(spaces, key=lambda space: space.label))
        at, names, found = self._searched.get(folder.path, (0.0, (), None))
        if names == key and abs(self._now() - at) < _SEARCHED_S:
            return found
        memory = self._runtime.memory
        names_now = (name_now(memory, it, folder) for it in key)
        found = next((it for it in names_now if it is not None), None)
        self._searched[folder.path] = self._now(), key, found
        return found

    def _follows(self, namespace: Namespace, name: str) -> bool:
        """Whether the new name means the same by now."""
        if namespace.scope is not Scope.CHARACTER:
            return False
        resolve = self._runtime.memory.resolve
        return resolve(replace(namespace, character=name)) == resolve(namespace)

    def _conclude(self, missing: Sequence[SeenChat]) -> None:
        for chat in missing:
            if chat.namespace is None:
                self._book().drop(chat)
            elif chat.missing_since is None:
                self._book().miss(chat, self._now())
            elif not chat.is_deleted and self._now() - chat.missing_since >= GONE_S:
                self._take_leave(chat)

    def _take_leave(self, chat: SeenChat) -> None:
        if self._watcher.gone(chat):
            self._book().miss(chat, chat.missing_since or self._now(), is_deleted=True)
        else:
            self._book().drop(chat)
