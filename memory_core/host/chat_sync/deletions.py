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
from ...memory.chat_notes import log_name_of, notes_for_chat
from ...memory.long_term_memory import LongTermMemory
from ...memory.runtime import Runtime
from ...storage.log.projection import MemoryRecord
from ..chat.host_protocol import Host
from ..chat.paths import has_chats
from .chat_registry import ChatRegistry, RegisteredChat
from .name_conflicts import stored_name


def count_removed(memory: LongTermMemory, namespace: Namespace) -> int:
    return memory.counts(namespace)["removed"]


def removed_memories(memory: LongTermMemory, namespace: Namespace) -> list[Memory]:
    """The one said last comes first."""
    most = count_removed(memory, namespace)
    with memory.open_namespace(namespace) as archive:
        found = archive.query(lambda store: store.retention_candidates(most))
    ids = [it.id for it in reversed(found) if not it.is_live]
    entries = memory.get_records(namespace, ids)
    return [entries[it].memory for it in ids if it in entries]


_NO_LIMIT = 1_000_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class DeletedChatStats:
    """How much is left of deleted chats."""

    chats: int = 0
    memories: int = 0


def memories_in_chat(
    memory: LongTermMemory, namespace: Namespace, conversation: str
) -> list[MemoryRecord]:
    """What is remembered of a chat, also what holds in it alone."""
    found = memory.conversation(namespace, conversation, _NO_LIMIT)
    with memory.open_namespace(namespace) as archive:
        found += notes_for_chat(archive, log_name_of(conversation))
    return list(memory.get_records(namespace, [it.id for it in found]).values())


def memories_only_in_chat(
    memory: LongTermMemory, namespace: Namespace, conversation: str
) -> list[MemoryRecord]:
    """What no other chat shows, the pinned included."""
    found = memories_in_chat(memory, namespace, conversation)
    return [it for it in found if set(it.positions) <= {encode(conversation)}]


def remove_chat(memory: LongTermMemory, namespace: Namespace, conversation: str) -> int:
    """Of a deleted chat only what no other chat shows stays; returns how much that is."""
    left = memories_only_in_chat(memory, namespace, conversation)
    memory.reconcile(namespace, conversation, _exchanges_in_order(left), whole=True)
    return len(left)


def forgettable_memories(
    memory: LongTermMemory, namespace: Namespace, conversation: str
) -> list[MemoryRecord]:
    left = memories_only_in_chat(memory, namespace, conversation)
    return [it for it in left if not it.memory.pinned]


def forget_chat(memory: LongTermMemory, namespace: Namespace, conversation: str) -> list[str]:
    """Takes out of the chat what is to be forgotten; returns the ids of that."""
    left = memories_only_in_chat(memory, namespace, conversation)
    memory.reconcile(
        namespace,
        conversation,
        _exchanges_in_order([it for it in left if it.memory.pinned]),
        whole=True,
    )
    return [it.memory.id for it in left if not it.memory.pinned]


def _exchanges_in_order(entries: Sequence[MemoryRecord]) -> list[Exchange]:
    in_order = sorted(entries, key=lambda it: min(it.positions.values(), default=it.first_position))
    return [it.chat for it in in_order if it.chat is not None]


class ChatDeletions:
    """Forgets what only a deleted chat showed: at once where that is wanted, else when asked."""

    def __init__(
        self, runtime: Runtime, *, host: Callable[[], Host], book: Callable[[], ChatRegistry]
    ) -> None:
        self._runtime = runtime
        self._host = host
        self._book = book

    def handle_deleted_chat(self, chat: RegisteredChat) -> bool:
        """Returns whether something is left that only this chat showed."""
        memory = self._runtime.memory
        space = memory.resolve(chat.namespace) if chat.namespace else None
        if space is None or not space.folder(memory.root).is_dir():
            return False
        left = remove_chat(memory, space, stored_name(memory, space, chat.folder, chat.name))
        if left and self._forgets_deleted():
            left -= self._forget(space, chat)
        self._runtime.schedule(space)
        return left > 0

    def left(self, namespace: Namespace) -> DeletedChatStats:
        """Returns how much is remembered of chats that are deleted."""
        memory = self._runtime.memory
        found = [
            len(
                forgettable_memories(
                    memory, namespace, stored_name(memory, namespace, it.folder, it.name)
                )
            )
            for it in self._book().deleted_chats_of(namespace)
        ]
        return DeletedChatStats(chats=sum(1 for it in found if it), memories=sum(found))

    def forget_left(self, namespace: Namespace) -> int:
        """Forgets that; returns how many memories."""
        return sum(self._forget(namespace, it) for it in self._book().deleted_chats_of(namespace))

    def _forgets_deleted(self) -> bool:
        """Not where all chats are gone at once: nobody wants that, and it may be a mistake."""
        data = self._host().user_data_folder()
        if self._runtime.settings.ltm_writes.on_chat_deleted is not OnChatDeleted.FORGET:
            return False
        with suppress(OSError):
            return data is not None and has_chats(data)
        return False

    def _forget(self, namespace: Namespace, chat: RegisteredChat) -> int:
        memory = self._runtime.memory
        ids = forget_chat(memory, namespace, stored_name(memory, namespace, chat.folder, chat.name))
        self._runtime.forget_exactly(namespace, ids)
        return len(ids)
