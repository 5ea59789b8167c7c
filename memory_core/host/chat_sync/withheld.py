"""Excludes messages from storage that ask for it in plain words, those that the guard skips, and
those said during a pause or while Remember is off. Writes the others.

"Remember X, in this chat only" would be recalled in other chats; "don't remember this: X" says it.

The decision is made when a message is first seen. So stored chats stay as they are when the
settings of commands and of the guard change.
"""

from collections.abc import Sequence
from dataclasses import replace

from ...domain.namespaces import Namespace
from ...domain.private_parts import GuardAction
from ...domain.records import Exchange
from ...memory.long_term_memory import LongTermMemory
from ...memory.runtime import Runtime
from ...storage.held import read as read_held
from ...storage.pauses import ChatPauses
from ...text.commands.parser import is_unstored_request
from ..chat.turn_request import ChatRef
from .owners import with_known_names
from .write_rules import STORE_ALL, WriteRules


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


def write_shown(
    runtime: Runtime, chat: ChatRef, shown: Sequence[Exchange], rules: WriteRules, *, whole: bool
) -> None:
    """Stores the changes of a chat, or excludes its new exchanges."""
    chat = replace(chat, namespace=runtime.memory.resolve(chat.namespace))
    chat_key = chat.namespace, chat.conversation
    writable = writable_exchanges(runtime, *chat_key, shown, whole=whole, rules=rules)
    if not rules.stores:
        return
    if len(writable) < len(shown):
        writable = _with_stored(runtime.memory, *chat_key, shown, writable, whole=whole)
    if not chat.speakers.has_names:
        writable = with_known_names(runtime.memory, *chat_key, writable)
    diff = runtime.memory.reconcile(*chat_key, writable, whole=whole)
    if diff:
        runtime.journal.add_write(chat.namespace, diff)
        runtime.schedule(chat.namespace)


def _with_stored(
    memory: LongTermMemory,
    namespace: Namespace,
    conversation: str,
    shown: Sequence[Exchange],
    writable: Sequence[Exchange],
    *,
    whole: bool,
) -> list[Exchange]:
    """Returns the writable exchanges, and the excluded ones that were stored before.

    If only the answer is a new, excluded one, the message stays with its stored answer.
    """
    forms = memory.guarded_chat(namespace, conversation, shown).exchanges
    diff = memory.compare(namespace, conversation, forms, whole=whole)
    added = {addition.exchange.key for addition in diff.added}
    changed = {change.exchange.key: change.id for change in diff.changed}
    records = memory.get_records(namespace, list(changed.values()))
    kept, found = set(map(id, writable)), list[Exchange]()
    for said, form in zip(shown, forms, strict=True):
        record = records.get(changed.get(form.key, ""))
        if id(said) in kept or form.key not in added | changed.keys():
            found.append(said)
        elif record and record.chat and record.chat.user == form.user:
            found.append(record.chat)
    return found


def writable_exchanges(
    runtime: Runtime,
    namespace: Namespace,
    conversation: str,
    shown: Sequence[Exchange],
    *,
    whole: bool,
    rules: WriteRules = STORE_ALL,
) -> Sequence[Exchange]:
    """Returns the exchanges that may be stored: none that ask not to be, none from pauses.

    New exchanges of a chat with paused writing are excluded for good, and so are those that the
    guard skips, and those that the rules exclude.
    """
    pauses, memory = runtime.pauses, runtime.memory
    if runtime.settings.commands.enabled and rules.stores:
        exclude_unstored_requests(memory, pauses, namespace, conversation, shown)
    if pauses.is_writing_paused(namespace, conversation):
        _exclude_all_new(runtime, namespace, conversation, shown, whole=whole)
    else:
        if rules.excludes:
            spared = rules.spared
            _exclude_unstored(runtime, namespace, conversation, shown, spared, whole=whole)
        if rules.stores and memory.guard.skipped:
            exclude_private_messages(memory, pauses, namespace, conversation, shown)
    return pauses.without_excluded(namespace, conversation, shown)


def exclude_question(
    runtime: Runtime, namespace: Namespace, conversation: str, shown: Sequence[Exchange]
) -> None:
    """Excludes the last exchange, which has no answer yet, unless its message is stored."""
    pauses, memory = runtime.pauses, runtime.memory
    writable = pauses.without_excluded(namespace, conversation, shown)
    if shown[-1] in writable:
        forms = memory.guarded_chat(namespace, conversation, writable).exchanges
        diff = memory.compare(namespace, conversation, forms, whole=False)
        if any(addition.exchange == forms[-1] for addition in diff.added):
            pauses.exclude(namespace, conversation, shown, shown[-1:])


def _exclude_unstored(
    runtime: Runtime,
    namespace: Namespace,
    conversation: str,
    shown: Sequence[Exchange],
    spared: frozenset[str],
    *,
    whole: bool,
) -> None:
    """Excludes the exchanges that no chat has stored, new versions of excluded ones included.

    Exchanges with a content key in `spared` are left alone.
    """
    pauses, memory = runtime.pauses, runtime.memory
    writable = pauses.without_excluded(namespace, conversation, shown)
    kept = {exchange.key for exchange in writable}
    again = [exchange for exchange in shown if exchange.key not in kept]
    new = [
        exchange
        for exchange in _new_exchanges(runtime, namespace, conversation, writable, whole=whole)
        if exchange.key not in spared and memory.conversation_of(namespace, exchange) is None
    ]
    pauses.exclude(namespace, conversation, shown, [*again, *new])


def _exclude_all_new(
    runtime: Runtime,
    namespace: Namespace,
    conversation: str,
    shown: Sequence[Exchange],
    *,
    whole: bool,
) -> None:
    writable = runtime.pauses.without_excluded(namespace, conversation, shown)
    new = _new_exchanges(runtime, namespace, conversation, writable, whole=whole)
    runtime.pauses.exclude(namespace, conversation, shown, new)


def _new_exchanges(
    runtime: Runtime,
    namespace: Namespace,
    conversation: str,
    writable: Sequence[Exchange],
    *,
    whole: bool,
) -> list[Exchange]:
    """Returns the new and changed exchanges, but none that wait for a decision of the user."""
    memory = runtime.memory
    forms = memory.guarded_chat(namespace, conversation, writable).exchanges
    diff = memory.compare(namespace, conversation, forms, whole=whole)
    held = read_held(namespace.folder(memory.root), memory.shared.files)
    waiting = {one.exchange.key for one in held}
    return _originals(
        [one for one in diff.new_exchanges if one.key not in waiting], forms, writable
    )
