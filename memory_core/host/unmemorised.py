"""Limits a prompt to the latest messages that are in no derived memory yet."""

from collections.abc import Sequence
from dataclasses import replace

from ..config.schema import Settings
from ..domain.errors import StorageError
from ..domain.namespaces import Namespace
from ..domain.records import Exchange
from ..memory.derived_memories import exchanges_in, memorised_ids
from ..memory.long_term_memory import LongTermMemory
from ..memory.runtime import Runtime
from ..text.private_parts import stored_keys
from .chat.turn_request import TurnRequest


def without_memorised_turns(runtime: Runtime, request: TurnRequest) -> TurnRequest:
    """Limits the prompt's turns. A chat without recall keeps all of them."""
    settings = runtime.settings
    is_recalling = settings.recall.enabled and not (request.is_recall_off or request.busy_reason)
    if not (is_recalling and request.conversation) or request.is_unreadable:
        return request
    try:
        fresh = _unmemorised_turns(runtime.memory, request, settings)
    except (StorageError, OSError):  # recall has this fault, too, and reports it
        return request
    return replace(request, most_turns=fresh)


def _unmemorised_turns(memory: LongTermMemory, request: TurnRequest, settings: Settings) -> int:
    """Counts the exchanges of the chat after the last one that is in a derived memory."""
    looked_at = exchanges_in(settings.backend.history_max_messages)
    latest = request.exchanges[-looked_at:] if looked_at else ()
    memorised = _memorised_keys(memory, request.namespace, request.conversation, looked_at)
    fresh = len(latest) - _end_of_memorised(latest, memorised)
    return min(fresh, exchanges_in(settings.backend.context_max_messages))


def _memorised_keys(
    memory: LongTermMemory, namespace: Namespace, conversation: str, limit: int
) -> frozenset[str]:
    said = memory.conversation(namespace, conversation, limit) if limit else []
    found = memorised_ids(memory, namespace, [one.id for one in said])
    return frozenset(one.key for one in said if one.id in found)


def _end_of_memorised(latest: Sequence[Exchange], memorised: frozenset[str]) -> int:
    """Returns the index after the last memorised exchange, 0 if there is none."""
    for index in reversed(range(len(latest))):
        if not memorised.isdisjoint(stored_keys([latest[index]])):
            return index + 1
    return 0
