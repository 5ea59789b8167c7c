"""Memories of deleted chats, and of messages removed from their chats.

Memories that another chat shows belong to that chat; pinned memories stay.

Recall ignores messages removed from their chats, but their text stays stored: a chat that shows
the message again finds its memory.
"""

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass

from ...config.schema import OnChatDeleted
from ...domain.namespaces import Namespace, encode, log_name_of
from ...domain.records import Exchange, Memory
from ...memory.chat_notes import notes_for_chat
from ...memory.long_term_memory import LongTermMemory
from ...memory.runtime import Runtime
from ...storage.log.projection import MemoryRecord
from ..chat.chat_file import has_chats
from ..chat.host_protocol import Host
from .chat_registry import ChatRegistry, RegisteredChat
from .owners import stored_name


def count_removed(memory: LongTermMemory, namespace: Namespace) -> int:
    return memory.counts(namespace)["removed"]


def removed_memories(memory: LongTermMemory, namespace: Namespace) -> list[Memory]:
    """Returns the memories removed from their chats, newest first."""
    limit = count_removed(memory, namespace)
    with memory.open_namespace(namespace) as opened:
        candidates = opened.query(lambda store: store.catalog.retention_candidates(limit))
    ids = [candidate.id for candidate in reversed(candidates) if not candidate.is_live]
    records = memory.get_records(namespace, ids)
    return [records[memory_id].memory for memory_id in ids if memory_id in records]


def forget_removed(runtime: Runtime, namespace: Namespace) -> int:
    """Forgets the memories removed from their chats; returns their number."""
    ids = [memory.id for memory in removed_memories(runtime.memory, namespace)]
    runtime.forget_exactly(namespace, ids)
    return len(ids)


_NO_LIMIT = 1_000_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class DeletedChatStats:
    """Number of deleted chats with memories left, and of those memories."""

    chats: int = 0
    memories: int = 0


def memories_in_chat(
    memory: LongTermMemory, namespace: Namespace, conversation: str
) -> list[MemoryRecord]:
    """Returns all memories of a chat, including notes for this chat only."""
    memories = memory.conversation(namespace, conversation, _NO_LIMIT)
    with memory.open_namespace(namespace) as opened:
        memories += notes_for_chat(opened, log_name_of(conversation))
    return list(memory.get_records(namespace, [memory.id for memory in memories]).values())


def memories_only_in_chat(
    memory: LongTermMemory, namespace: Namespace, conversation: str
) -> list[MemoryRecord]:
    """Returns the memories that no other chat shows, including pinned ones."""
    records = memories_in_chat(memory, namespace, conversation)
    return [record for record in records if set(record.positions) <= {encode(conversation)}]


def remove_chat(memory: LongTermMemory, namespace: Namespace, conversation: str) -> int:
    """Reduces a deleted chat to the memories that no other chat shows; returns their number."""
    records = memories_only_in_chat(memory, namespace, conversation)
    waiting = memory.held_file(namespace).read()
    held = [one.exchange for one in waiting if one.log == encode(conversation)]
    memory.reconcile(namespace, conversation, [*_exchanges_in_order(records), *held], whole=True)
    return len(records)


def forgettable_memories(
    memory: LongTermMemory, namespace: Namespace, conversation: str
) -> list[MemoryRecord]:
    records = memories_only_in_chat(memory, namespace, conversation)
    return [record for record in records if not record.memory.pinned]


def forget_chat(memory: LongTermMemory, namespace: Namespace, conversation: str) -> list[str]:
    """Removes the forgettable memories from the chat; returns their ids."""
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
    """Forgets memories that only a deleted chat showed: at once or on request, as configured."""

    def __init__(
        self, runtime: Runtime, *, host: Callable[[], Host], registry: ChatRegistry
    ) -> None:
        self._runtime = runtime
        self._host = host
        self._registry = registry

    def handle_deleted_chat(self, chat: RegisteredChat) -> bool:
        """Handles a deleted chat; returns whether memories are left that only it showed."""
        memory = self._runtime.memory
        namespace = memory.resolve(chat.namespace) if chat.namespace else None
        if namespace is None or not memory.shared.namespaces.has(namespace):
            return False
        remaining = remove_chat(
            memory, namespace, stored_name(memory, namespace, chat.folder, chat.name)
        )
        if remaining and self._should_forget():
            remaining -= self._forget(namespace, chat)
        self._runtime.schedule(namespace)
        return remaining > 0

    def stats(self, namespace: Namespace) -> DeletedChatStats:
        """Returns the number of deleted chats with memories, and of those memories."""
        memory = self._runtime.memory
        counts = [
            len(
                forgettable_memories(
                    memory, namespace, stored_name(memory, namespace, chat.folder, chat.name)
                )
            )
            for chat in self._registry.deleted_chats_of(namespace)
        ]
        return DeletedChatStats(chats=sum(1 for count in counts if count), memories=sum(counts))

    def forget_all(self, namespace: Namespace) -> int:
        """Forgets the memories of all deleted chats; returns their number."""
        return sum(
            self._forget(namespace, chat) for chat in self._registry.deleted_chats_of(namespace)
        )

    def _should_forget(self) -> bool:
        """Returns whether to forget at once; False if all chats are gone, likely by mistake."""
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
