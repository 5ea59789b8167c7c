"""Which memories a chat's file goes on with: those of its name, of a name it had before, or none.

The host tells nobody of a renaming. A file keeps its number on the disk then, but many disks give
the number of a deleted file to the next one: so what the file says has to agree.
"""

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from ...domain.namespaces import Namespace
from ...domain.records import Exchange, side_key
from ...memory.runtime import Runtime
from ...storage.pauses import Switch
from ..chat.chat_file import Stamp
from ..chat.paths import conversation_of, is_made_up, is_nameless, name_aside, place
from .chat_registry import ChatBook, SeenChat
from .deletions import all_there, only_there, take_down
from .name_conflicts import kept_as

Mark = tuple[str, str, float | None]


class Succession:
    """For one thread at a time. `take_leave` does what is to be done for a deleted chat and tells
    whether something is left of it; `was_there` tells of a file that is gone whether it was there
    a moment before that; `went_on` is told which chat goes on by which name; `now` is the time of
    day, in seconds.
    """

    def __init__(
        self,
        runtime: Runtime,
        *,
        book: Callable[[], ChatBook],
        take_leave: Callable[[SeenChat], bool],
        was_there: Callable[[Path], bool],
        went_on: Callable[[Namespace, str, str], None],
        now: Callable[[], float],
    ) -> None:
        self._runtime = runtime
        self._book = book
        self._take_leave = take_leave
        self._was_there = was_there
        self._went_on = went_on
        self._now = now

    def follow(
        self, path: Path, now: Stamp, namespace: Namespace, said: Sequence[Exchange]
    ) -> None:
        """Before what a file says is written: the conversation of its name becomes its own."""
        known = self._book().get(path.parent, path.name)
        if known is not None and _is_the_same(known, now):
            if is_nameless(path.name) and not self._goes_on(known, said):
                self._set_aside(known)
            return
        former: list[SeenChat] = []
        for chat in self._candidates(path, now, namespace):
            if self._is_former(chat, path, now, said):
                former.append(chat)
            else:
                self._book().number_anew(chat)
        if known is not None and self._is_another(known, now, said, was_renamed=bool(former)):
            self._make_room(known)
        conversation = kept_as(self._runtime.memory, namespace, path.parent, path.name)
        for chat in former:
            self._hand_over(chat, namespace, conversation)

    def _candidates(self, path: Path, now: Stamp, namespace: Namespace) -> Iterator[SeenChat]:
        """What had the same number under other names, which are free now."""
        if not now.file:
            return
        resolve, here = self._runtime.memory.resolve, place(path.parent)
        for chat in self._book().of_folder(path.parent):
            if chat.stamp.file != now.file or chat.name == path.name or chat.is_deleted:
                continue
            is_mine = chat.namespace is not None and resolve(chat.namespace) == namespace
            is_free = not chat.path.exists() or _is_other_case(chat.name, path.name)
            if is_mine and is_free and chat.place == here:
                yield chat

    def _is_former(self, chat: SeenChat, path: Path, now: Stamp, said: Sequence[Exchange]) -> bool:
        """Whether the file is as it was; or nobody had the time to make another and name it; or
        it says what only this chat showed and no other does.
        """
        if now == chat.stamp or (self._was_there(chat.path) and not is_made_up(path.name)):
            return True
        memory = self._runtime.memory
        space = memory.resolve(chat.namespace) if chat.namespace else None
        if space is None:
            return False
        left = only_there(memory, space, self._kept_as(chat, space))
        own = [it.chat for it in left if it.chat]
        if _agree(own, said, _content):
            return True
        return _agree(own, [it for it in said if not memory.conversation_of(space, it)], _sides)

    def _is_another(
        self, known: SeenChat, now: Stamp, said: Sequence[Exchange], *, was_renamed: bool
    ) -> bool:
        """Whether the chat that had this name is gone, and this is no later state of it."""
        was_replaced = bool(known.stamp.file and now.file) and known.stamp.file != now.file
        was_gone = known.missing_since is not None
        is_here = known.place == place(Path(known.folder))
        if known.namespace is None or not (was_replaced or was_gone) or not is_here:
            return False
        return was_renamed or not self._goes_on(known, said)

    def _goes_on(self, known: SeenChat, said: Sequence[Exchange]) -> bool:
        """Whether anything of what is written of it is said here."""
        if known.namespace is None:
            return True
        memory = self._runtime.memory
        found = all_there(memory, known.namespace, self._kept_as(known, known.namespace))
        written = [it.chat for it in found if it.chat]
        return say_the_same(written, said)

    def _set_aside(self, chat: SeenChat) -> None:
        """Another chat was saved over it: nobody has deleted anything."""
        memory = self._runtime.memory
        if chat.namespace is None:
            return
        if take_down(memory, chat.namespace, self._kept_as(chat, chat.namespace)):
            self._move_aside(chat, chat.namespace)

    def _make_room(self, chat: SeenChat) -> None:
        """What is kept of a deleted chat makes room for the one that has its name now."""
        if chat.namespace is not None and self._take_leave(chat):
            self._move_aside(chat, chat.namespace)
        else:
            self._book().drop(chat)

    def _move_aside(self, chat: SeenChat, namespace: Namespace) -> None:
        """To a name that no file can have."""
        now = self._now()
        aside = name_aside(chat.name, now)
        self._move(chat, namespace, conversation_of(aside))
        self._book().set_aside(chat, aside, now)

    def _hand_over(self, chat: SeenChat, namespace: Namespace, conversation: str) -> None:
        before = self._kept_as(chat, namespace)
        self._move(chat, namespace, conversation)
        self._went_on(namespace, before, conversation)
        self._book().drop(chat)

    def _kept_as(self, chat: SeenChat, namespace: Namespace) -> str:
        return kept_as(self._runtime.memory, namespace, chat.folder, chat.name)

    def _move(self, chat: SeenChat, namespace: Namespace, conversation: str) -> None:
        """With what is paused there."""
        memory, switches = self._runtime.memory, self._runtime.switches
        space = memory.resolve(namespace)
        before = self._kept_as(chat, space)
        if switch := switches.of(space, before):
            switches.turn(space, conversation, switch)
            switches.turn(space, before, Switch())
        memory.move(space, before, conversation)


def _is_other_case(name: str, other: str) -> bool:
    """Where a disk takes both for one name, the old one still seems to be there."""
    return name.casefold() == other.casefold()


def _is_the_same(known: SeenChat, now: Stamp) -> bool:
    """Whether it is the very file whose chat is written, there all the time."""
    is_written = known.stamp.mtime_ns > 0
    return is_written and known.missing_since is None and known.stamp.file == now.file


def say_the_same(written: Sequence[Exchange], said: Sequence[Exchange]) -> bool:
    """Returns whether anything that is written of a chat is said here, if only one side of it."""
    return any(_agree(written, said, it) for it in (_content, _sides))


def _agree(
    written: Sequence[Exchange], said: Sequence[Exchange], marks: Callable[[Exchange], list[Mark]]
) -> bool:
    """Whether anything has the same marks in both."""
    here = {it for exchange in said for it in marks(exchange)}
    return any(it in here for exchange in written for it in marks(exchange))


def _content(exchange: Exchange) -> list[Mark]:
    return [("both", exchange.key, exchange.ts)]


def _sides(exchange: Exchange) -> list[Mark]:
    """By these it is known with another answer, or to other words."""
    sides = ("user", exchange.user), ("assistant", exchange.assistant)
    return [(name, side_key(text), exchange.ts) for name, text in sides if text]
