"""Excludes messages such as "remember X, in this chat only" from storage.

The decision is made when a message is first seen. So stored chats stay as they are when the
settings of commands change.
"""

from collections.abc import Iterator, Sequence

from ...domain.namespaces import Namespace
from ...domain.records import Exchange
from ...memory.long_term_memory import LongTermMemory
from ...memory.runtime import Runtime
from ...storage.pauses import ChatPauses
from ...text.commands.parser import is_chat_only_request


def exclude_chat_only_messages(
    memory: LongTermMemory,
    pauses: ChatPauses,
    namespace: Namespace,
    conversation: str,
    exchanges: Sequence[Exchange],
) -> None:
    """Excludes such messages from storage in all chats, except for those already stored.

    Raises StorageCorrupt, StorageFailed.
    """
    candidates = pauses.without_excluded(namespace, conversation, exchanges)
    if any(is_chat_only_request(exchange.user) for exchange in candidates):
        fresh = _not_yet_stored(memory, namespace, conversation, candidates)
        new = [exchange for exchange in fresh if is_chat_only_request(exchange.user)]
        pauses.exclude(namespace, conversation, exchanges, new)


def _not_yet_stored(
    memory: LongTermMemory, namespace: Namespace, conversation: str, exchanges: Sequence[Exchange]
) -> Iterator[Exchange]:
    """Yields exchanges with a message that no chat has stored; a new answer does not count."""
    diff = memory.compare(namespace, conversation, exchanges, whole=False)
    added = (addition.exchange for addition in diff.added)
    yield from (
        exchange for exchange in added if memory.conversation_of(namespace, exchange) is None
    )
    records = memory.get_records(namespace, [change.id for change in diff.changed])
    for change in diff.changed:
        stored = records[change.id].chat
        if stored is None or stored.user != change.exchange.user:
            yield change.exchange


def writable_exchanges(
    runtime: Runtime,
    namespace: Namespace,
    conversation: str,
    shown: Sequence[Exchange],
    *,
    whole: bool,
) -> Sequence[Exchange]:
    """Returns the exchanges that may be stored: no chat-only messages, none from pauses.

    New exchanges of a chat with paused writing are excluded for good.
    """
    pauses, memory, settings = runtime.pauses, runtime.memory, runtime.settings
    if settings.commands.enabled and settings.ltm_writes.enabled:
        exclude_chat_only_messages(memory, pauses, namespace, conversation, shown)
    writable = pauses.without_excluded(namespace, conversation, shown)
    if not pauses.is_writing_paused(namespace, conversation):
        return writable
    diff = memory.compare(namespace, conversation, writable, whole=whole)
    new = [
        *(addition.exchange for addition in diff.added),
        *(change.exchange for change in diff.changed),
    ]
    pauses.exclude(namespace, conversation, shown, new)
    return pauses.without_excluded(namespace, conversation, shown)
