"""Decides which exchanges of a chat may be written: pauses, marked characters, this chat alone."""

from collections.abc import Sequence

from ...domain.namespaces import Namespace
from ...domain.records import Exchange
from ...memory.runtime import Runtime
from .withheld import keep_apart


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
