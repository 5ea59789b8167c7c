"""Reads the exchanges of a conversation that a request leaves out, because they are stored."""

from collections.abc import Sequence

from ...config.schema import ContextStrategy
from ...domain.namespaces import Namespace
from ...domain.records import Exchange, Memory
from ...memory.runtime import Runtime
from ...text.private_parts import stored_keys

_WHOLE_CONVERSATION = 1_000_000


def older_exchanges(
    runtime: Runtime,
    namespace: Namespace,
    conversation: str,
    *,
    shown: Sequence[Exchange],
    question: str,
) -> tuple[Exchange, ...]:
    """Returns the stored exchanges before those that the request shows, oldest first.

    Returns none if the settings leave older messages to recall alone, as by default. Nor does it
    if the store does not know the first exchange shown: then nobody knows what comes before it.
    """
    is_left_to_recall = runtime.settings.ltm_context.strategy is ContextStrategy.RETRIEVE
    if is_left_to_recall or not conversation:
        return ()
    stored = runtime.memory.conversation(namespace, conversation, _WHOLE_CONVERSATION)
    older = stored[: _start_of(stored, shown, question)]
    return tuple(memory.exchange for memory in older if memory.exchange)


def _start_of(stored: Sequence[Memory], shown: Sequence[Exchange], question: str) -> int:
    """Returns the index of the first exchange shown among the stored ones; 0 if it is unknown.

    Of several equal exchanges, picks the one that leaves as many stored ones as are shown.
    """
    expected = len(stored) - len(shown)
    if not shown:
        last = stored[-1].exchange if stored else None
        return expected - (last is not None and last.user == question)  # it is answered anew
    keys = stored_keys(shown[:1])
    places = [place for place, memory in enumerate(stored) if memory.key in keys]
    return min(places, key=lambda place: abs(place - expected), default=0)
