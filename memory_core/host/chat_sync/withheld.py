"""Excludes messages from storage that ask for it in plain words, and those the guard skips.

"Remember X, in this chat only" would be recalled in other chats; "don't remember this: X" says it.

The decision is made when a message is first seen. So stored chats stay as they are when the
settings of commands and of the guard change.
"""

from collections.abc import Sequence

from ...domain.namespaces import Namespace
from ...domain.private_parts import GuardAction
from ...domain.records import Exchange
from ...memory.long_term_memory import LongTermMemory
from ...memory.runtime import Runtime
from ...storage.held import read as read_held
from ...storage.pauses import ChatPauses
from ...text.commands.parser import is_unstored_request


def exclude_unstored_requests(
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
    if any(is_unstored_request(exchange.user) for exchange in candidates):
        fresh = _not_yet_stored(memory, namespace, conversation, candidates)
        new = [exchange for exchange in fresh if is_unstored_request(exchange.user)]
        pauses.exclude(namespace, conversation, exchanges, new)


def exclude_private_messages(
    memory: LongTermMemory,
    pauses: ChatPauses,
    namespace: Namespace,
    conversation: str,
    exchanges: Sequence[Exchange],
) -> None:
    """Excludes the new exchanges that the guard skips from storage in all chats, and reports them.

    Raises StorageCorrupt, StorageFailed.
    """
    candidates = pauses.without_excluded(namespace, conversation, exchanges)
    skipped = memory.guarded_chat(namespace, conversation, candidates).skipped
    if skipped:
        new = [candidates[index] for index in skipped]
        pauses.exclude(namespace, conversation, exchanges, new)
        memory.guard.report_all(namespace, GuardAction.SKIP, skipped.values())


def _not_yet_stored(
    memory: LongTermMemory, namespace: Namespace, conversation: str, exchanges: Sequence[Exchange]
) -> Sequence[Exchange]:
    """Returns exchanges with a message that no chat has stored; a new answer does not count."""
    forms = memory.guarded_chat(namespace, conversation, exchanges).exchanges
    diff = memory.compare(namespace, conversation, forms, whole=False)
    added = (addition.exchange for addition in diff.added)
    new = [form for form in added if memory.conversation_of(namespace, form) is None]
    records = memory.get_records(namespace, [change.id for change in diff.changed])
    for change in diff.changed:
        stored = records[change.id].chat
        if stored is None or stored.user != change.exchange.user:
            new.append(change.exchange)
    return _originals(new, forms, exchanges)


def _originals(
    wanted: Sequence[Exchange], forms: Sequence[Exchange], exchanges: Sequence[Exchange]
) -> list[Exchange]:
    """Returns the exchanges, as the chat shows them, whose stored forms are wanted."""
    keys = {form.key for form in wanted}
    return [said for form, said in zip(forms, exchanges, strict=True) if form.key in keys]


def writable_exchanges(
    runtime: Runtime,
    namespace: Namespace,
    conversation: str,
    shown: Sequence[Exchange],
    *,
    whole: bool,
) -> Sequence[Exchange]:
    """Returns the exchanges that may be stored: none that ask not to be, none from pauses.

    New exchanges of a chat with paused writing are excluded for good, and so are those that the
    guard skips.
    """
    pauses, memory, settings = runtime.pauses, runtime.memory, runtime.settings
    if settings.commands.enabled and settings.ltm_writes.enabled:
        exclude_unstored_requests(memory, pauses, namespace, conversation, shown)
    if pauses.is_writing_paused(namespace, conversation):
        _exclude_all_new(runtime, namespace, conversation, shown, whole=whole)
    elif settings.ltm_writes.enabled and memory.guard.skipped:
        exclude_private_messages(memory, pauses, namespace, conversation, shown)
    return pauses.without_excluded(namespace, conversation, shown)


def _exclude_all_new(
    runtime: Runtime,
    namespace: Namespace,
    conversation: str,
    shown: Sequence[Exchange],
    *,
    whole: bool,
) -> None:
    pauses, memory = runtime.pauses, runtime.memory
    writable = pauses.without_excluded(namespace, conversation, shown)
    forms = memory.guarded_chat(namespace, conversation, writable).exchanges
    diff = memory.compare(namespace, conversation, forms, whole=whole)
    held = read_held(namespace.folder(memory.root), memory.shared.files)
    waiting = {one.exchange.key for one in held}
    new = _originals([one for one in diff.new_exchanges if one.key not in waiting], forms, writable)
    pauses.exclude(namespace, conversation, shown, new)
