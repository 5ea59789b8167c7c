"""What plain words ask to hold in one chat alone is withheld when it is met first, not judged anew.

So what is written of a chat stays as it is, whatever is set later about commands.
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
    """Has such messages of this chat never written, in no chat, but for those written already.

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
    """Whose message was not written of any chat; another answer makes it no other."""
    diff = memory.compare(namespace, conversation, exchanges, whole=False)
    added = (addition.exchange for addition in diff.added)
    yield from (
        exchange for exchange in added if memory.conversation_of(namespace, exchange) is None
    )
    written = memory.get_records(namespace, [change.id for change in diff.changed])
    for change in diff.changed:
        before = written[change.id].chat
        if before is None or before.user != change.exchange.user:
            yield change.exchange


def writable_exchanges(
    runtime: Runtime,
    namespace: Namespace,
    conversation: str,
    shown: Sequence[Exchange],
    *,
    whole: bool,
) -> Sequence[Exchange]:
    """While writing is off nothing new is, and never will be; nor what is for this chat alone."""
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
