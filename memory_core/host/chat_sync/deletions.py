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
    limit = count_removed(memory, namespace)
    with memory.open_namespace(namespace) as opened:
        candidates = opened.query(lambda store: store.retention_candidates(limit))
    ids = [candidate.id for candidate in reversed(candidates) if not candidate.is_live]
    records = memory.get_records(namespace, ids)
    return [records[memory_id].memory for memory_id in ids if memory_id in records]


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
    memories = memory.conversation(namespace, conversation, _NO_LIMIT)
    with memory.open_namespace(namespace) as opened:
        memories += notes_for_chat(opened, log_name_of(conversation))
    return list(memory.get_records(namespace, [memory.id for memory in memories]).values())


def memories_only_in_chat(
    memory: LongTermMemory, namespace: Namespace, conversation: str
) -> list[MemoryRecord]:
    """What no other chat shows, the pinned included."""
    records = memories_in_chat(memory, namespace, conversation)
    return [record for record in records if set(record.positions) <= {encode(conversation)}]


def remove_chat(memory: LongTermMemory, namespace: Namespace, conversation: str) -> int:
    """Of a deleted chat only what no other chat shows stays; returns how much that is."""
    records = memories_only_in_chat(memory, namespace, conversation)
    memory.reconcile(namespace, conversation, _exchanges_in_order(records), whole=True)
    return len(records)


def forgettable_memories(
    memory: LongTermMemory, namespace: Namespace, conversation: str
) -> list[MemoryRecord]:
    records = memories_only_in_chat(memory, namespace, conversation)
    return [record for record in records if not record.memory.pinned]


def forget_chat(memory: LongTermMemory, namespace: Namespace, conversation: str) -> list[str]:
    """Takes out of the chat what is to be forgotten; returns the ids of that."""
    records = memories_only_in_chat(memory, namespace, conversation)
    memory.reconcile(
        namespace,
        conversation,
        _exchanges_in_order([record for record in records if record.memory.pinned]),
        whole=True,
    )
    return [record.memory.id for record in records if not record.memory.pinned]


def _exchanges_in_order(records: Sequence[MemoryRecord]) -> list[Exchange]:
    in_order = sorted(
        records, key=lambda record: min(record.positions.values(), default=record.first_position)
    )
    return [record.chat for record in in_order if record.chat is not None]


class ChatDeletions:
    """Forgets what only a deleted chat showed: at once where that is wanted, else when asked."""

    def __init__(
        self, runtime: Runtime, *, host: Callable[[], Host], registry: Callable[[], ChatRegistry]
    ) -> None:
        self._runtime = runtime
        self._host = host
        self._registry = registry

    def handle_deleted_chat(self, chat: RegisteredChat) -> bool:
        """Returns whether something is left that only this chat showed."""
        memory = self._runtime.memory
        namespace = memory.resolve(chat.namespace) if chat.namespace else None
        if namespace is None or not namespace.folder(memory.root).is_dir():
            return False
        remaining = remove_chat(
            memory, namespace, stored_name(memory, namespace, chat.folder, chat.name)
        )
        if remaining and self._forgets_deleted():
            remaining -= self._forget(namespace, chat)
        self._runtime.schedule(namespace)
        return remaining > 0

    def left(self, namespace: Namespace) -> DeletedChatStats:
        """Returns how much is remembered of chats that are deleted."""
        memory = self._runtime.memory
        counts = [
            len(
                forgettable_memories(
                    memory, namespace, stored_name(memory, namespace, chat.folder, chat.name)
                )
            )
            for chat in self._registry().deleted_chats_of(namespace)
        ]
        return DeletedChatStats(chats=sum(1 for count in counts if count), memories=sum(counts))

    def forget_left(self, namespace: Namespace) -> int:
        """Forgets that; returns how many memories."""
        return sum(
            self._forget(namespace, chat) for chat in self._registry().deleted_chats_of(namespace)
        )

    def _forgets_deleted(self) -> bool:
        """Not where all chats are gone at once: nobody wants that, and it may be a mistake."""
        user_data = self._host().user_data_folder()
        if self._runtime.settings.ltm_writes.on_chat_deleted is not OnChatDeleted.FORGET:
            return False
        with suppress(OSError):
            return user_data is not None and has_chats(user_data)
        return False

    def _forget(self, namespace: Namespace, chat: RegisteredChat) -> int:
        memory = self._runtime.memory
        ids = forget_chat(memory, namespace, stored_name(memory, namespace, chat.folder, chat.name))
        self._runtime.forget_exactly(namespace, ids)
        return len(ids)
