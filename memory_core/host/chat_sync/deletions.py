"""What is remembered of chats that the user has deleted, and how it is forgotten.

What another chat shows too is a memory of that chat; what the user pinned is kept.

What was only taken out of its chat is told here too: nothing recalls it, but its words are kept,
so that a chat which says it again, or another copy of it, finds its memory.
"""

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass

from ...config.schema import OnChatDeleted
from ...domain.namespaces import Namespace, encode
from ...domain.records import Exchange, Memory
from ...memory.chat_notes import log_of, notes_of
from ...memory.long_term_memory import LongTermMemory
from ...memory.runtime import Runtime
from ...storage.log.projection import Entry
from ..chat.host_protocol import Host
from ..chat.paths import has_chats
from .chat_registry import ChatBook, SeenChat
from .name_conflicts import kept_as


def count_removed(memory: LongTermMemory, namespace: Namespace) -> int:
    return memory.counts(namespace)["removed"]


def removed(memory: LongTermMemory, namespace: Namespace) -> list[Memory]:
    """The one said last comes first."""
    most = count_removed(memory, namespace)
    with memory.using(namespace) as archive:
        found = archive.read(lambda store: store.evictable(most))
    ids = [it.id for it in reversed(found) if not it.is_live]
    entries = memory.entries(namespace, ids)
    return [entries[it].memory for it in ids if it in entries]


_ALL = 1_000_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Left:
    """How much is left of deleted chats."""

    chats: int = 0
    memories: int = 0


def all_there(memory: LongTermMemory, namespace: Namespace, conversation: str) -> list[Entry]:
    """What is remembered of a chat, also what holds in it alone."""
    found = memory.conversation(namespace, conversation, _ALL)
    with memory.using(namespace) as archive:
        found += notes_of(archive, log_of(conversation))
    return list(memory.entries(namespace, [it.id for it in found]).values())


def only_there(memory: LongTermMemory, namespace: Namespace, conversation: str) -> list[Entry]:
    """What no other chat shows, the pinned included."""
    found = all_there(memory, namespace, conversation)
    return [it for it in found if set(it.places) <= {encode(conversation)}]


def take_down(memory: LongTermMemory, namespace: Namespace, conversation: str) -> int:
    """Of a deleted chat only what no other chat shows stays; returns how much that is."""
    left = only_there(memory, namespace, conversation)
    memory.reconcile(namespace, conversation, _said(left), whole=True)
    return len(left)


def forgettable(memory: LongTermMemory, namespace: Namespace, conversation: str) -> list[Entry]:
    left = only_there(memory, namespace, conversation)
    return [it for it in left if not it.memory.pinned]


def forget(memory: LongTermMemory, namespace: Namespace, conversation: str) -> list[str]:
    """Takes out of the chat what is to be forgotten; returns the ids of that."""
    left = only_there(memory, namespace, conversation)
    memory.reconcile(
        namespace, conversation, _said([it for it in left if it.memory.pinned]), whole=True
    )
    return [it.memory.id for it in left if not it.memory.pinned]


def _said(entries: Sequence[Entry]) -> list[Exchange]:
    in_order = sorted(entries, key=lambda it: min(it.places.values(), default=it.place))
    return [it.chat for it in in_order if it.chat is not None]


class ChatDeletions:
    """Forgets what only a deleted chat showed: at once where that is wanted, else when asked."""

    def __init__(
        self, runtime: Runtime, *, host: Callable[[], Host], book: Callable[[], ChatBook]
    ) -> None:
        self._runtime = runtime
        self._host = host
        self._book = book

    def handle_deleted_chat(self, chat: SeenChat) -> bool:
        """Returns whether something is left that only this chat showed."""
        memory = self._runtime.memory
        space = memory.resolve(chat.namespace) if chat.namespace else None
        if space is None or not space.folder(memory.root).is_dir():
            return False
        left = take_down(memory, space, kept_as(memory, space, chat.folder, chat.name))
        if left and self._forgets_deleted():
            left -= self._forget(space, chat)
        self._runtime.touch(space)
        return left > 0

    def left(self, namespace: Namespace) -> Left:
        """Returns how much is remembered of chats that are deleted."""
        memory = self._runtime.memory
        found = [
            len(forgettable(memory, namespace, kept_as(memory, namespace, it.folder, it.name)))
            for it in self._book().deleted(namespace)
        ]
        return Left(chats=sum(1 for it in found if it), memories=sum(found))

    def forget_left(self, namespace: Namespace) -> int:
        """Forgets that; returns how many memories."""
        return sum(self._forget(namespace, it) for it in self._book().deleted(namespace))

    def _forgets_deleted(self) -> bool:
        """Not where all chats are gone at once: nobody wants that, and it may be a mistake."""
        data = self._host().user_data_folder()
        if self._runtime.settings.ltm_writes.on_chat_deleted is not OnChatDeleted.FORGET:
            return False
        with suppress(OSError):
            return data is not None and has_chats(data)
        return False

    def _forget(self, namespace: Namespace, chat: SeenChat) -> int:
        memory = self._runtime.memory
        ids = forget(memory, namespace, kept_as(memory, namespace, chat.folder, chat.name))
        self._runtime.forget_only(namespace, ids)
        return len(ids)
