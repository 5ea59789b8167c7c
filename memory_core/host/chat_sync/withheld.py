"""What plain words ask to hold in one chat alone is withheld when it is met first, not judged anew.

So what is written of a chat stays as it is, whatever is set later about commands.
"""

from collections.abc import Iterator, Sequence

from ...domain.namespaces import Namespace
from ...domain.records import Exchange
from ...memory.long_term_memory import LongTermMemory
from ...memory.runtime import Runtime
from ...storage.pauses import Switches
from ...text.commands.parser import holds_here


def keep_apart(
    memory: LongTermMemory,
    switches: Switches,
    namespace: Namespace,
    conversation: str,
    said: Sequence[Exchange],
) -> None:
    """Has such messages of this chat never written, in no chat, but for those written already.

    Raises StorageCorrupt, StorageFailed.
    """
    open_to_it = switches.writable(namespace, conversation, said)
    if any(holds_here(it.user) for it in open_to_it):
        fresh = _fresh(memory, namespace, conversation, open_to_it)
        new = [it for it in fresh if holds_here(it.user)]
        switches.withhold(namespace, conversation, said, new)


def _fresh(
    memory: LongTermMemory, namespace: Namespace, conversation: str, said: Sequence[Exchange]
) -> Iterator[Exchange]:
    """Whose message was not written of any chat; another answer makes it no other."""
    diff = memory.compare(namespace, conversation, said, whole=False)
    added = (it.exchange for it in diff.added)
    yield from (it for it in added if memory.conversation_of(namespace, it) is None)
    written = memory.entries(namespace, [it.id for it in diff.changed])
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
    switches, memory, settings = runtime.switches, runtime.memory, runtime.settings
    if settings.commands.enabled and settings.ltm_writes.enabled:
        keep_apart(memory, switches, namespace, conversation, shown)
    old = switches.writable(namespace, conversation, shown)
    if not switches.is_writing_off(namespace, conversation):
        return old
    diff = memory.compare(namespace, conversation, old, whole=whole)
    new = [*(it.exchange for it in diff.added), *(it.exchange for it in diff.changed)]
    switches.withhold(namespace, conversation, shown, new)
    return switches.writable(namespace, conversation, shown)
