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
    switches: ChatPauses,
    namespace: Namespace,
    conversation: str,
    said: Sequence[Exchange],
) -> None:
    """Has such messages of this chat never written, in no chat, but for those written already.

    Raises StorageCorrupt, StorageFailed.
    """
    open_to_it = switches.without_excluded(namespace, conversation, said)
    if any(is_chat_only_request(it.user) for it in open_to_it):
        fresh = _not_yet_stored(memory, namespace, conversation, open_to_it)
        new = [it for it in fresh if is_chat_only_request(it.user)]
        switches.exclude(namespace, conversation, said, new)


def _not_yet_stored(
    memory: LongTermMemory, namespace: Namespace, conversation: str, said: Sequence[Exchange]
) -> Iterator[Exchange]:
    """Whose message was not written of any chat; another answer makes it no other."""
    diff = memory.compare(namespace, conversation, said, whole=False)
    added = (it.exchange for it in diff.added)
    yield from (it for it in added if memory.conversation_of(namespace, it) is None)
    written = memory.get_records(namespace, [it.id for it in diff.changed])
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
    switches, memory, settings = runtime.pauses, runtime.memory, runtime.settings
    if settings.commands.enabled and settings.ltm_writes.enabled:
        exclude_chat_only_messages(memory, switches, namespace, conversation, shown)
    old = switches.without_excluded(namespace, conversation, shown)
    if not switches.is_writing_paused(namespace, conversation):
        return old
    diff = memory.compare(namespace, conversation, old, whole=whole)
    new = [*(it.exchange for it in diff.added), *(it.exchange for it in diff.changed)]
    switches.exclude(namespace, conversation, shown, new)
    return switches.without_excluded(namespace, conversation, shown)
