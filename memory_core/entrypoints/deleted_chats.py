"""What is remembered of chats that the user has deleted, and how it is forgotten.

What another chat shows too is a memory of that chat; what the user pinned is kept.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from ..long_term_memory import LongTermMemory
from ..namespaces import Namespace, encode
from ..records import Exchange
from ..transcript.entries import Entry

_ALL = 1_000_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Left:
    """How much is left of deleted chats."""

    chats: int = 0
    memories: int = 0


def only_there(memory: LongTermMemory, namespace: Namespace, conversation: str) -> list[Entry]:
    """What no other chat shows, the pinned included."""
    found = memory.conversation(namespace, conversation, _ALL)
    entries = memory.entries(namespace, [it.id for it in found]).values()
    return [it for it in entries if set(it.places) <= {encode(conversation)}]


def take_down(memory: LongTermMemory, namespace: Namespace, conversation: str) -> int:
    """Of a deleted chat only what no other chat shows stays; returns how much that is."""
    left = only_there(memory, namespace, conversation)
    memory.reconcile(namespace, conversation, _said(left), whole=True)
    return len(left)


def forgettable(memory: LongTermMemory, namespace: Namespace, conversation: str) -> list[Entry]:
    left = only_there(memory, namespace, conversation)
    return [it for it in left if not it.memory.pinned]


def forget(memory: LongTermMemory, namespace: Namespace, conversation: str) -> list[str]:
    """The ids of what is to be forgotten: it is taken out of the chat, and said nowhere else."""
    left = only_there(memory, namespace, conversation)
    memory.reconcile(
        namespace, conversation, _said([it for it in left if it.memory.pinned]), whole=True
    )
    said = [(it.memory.id, it.memory.exchange) for it in left if not it.memory.pinned]
    return [
        memory_id
        for memory_id, exchange in said
        if exchange is None or memory.conversation_of(namespace, exchange) is None
    ]


def _said(entries: Sequence[Entry]) -> list[Exchange]:
    in_order = sorted(entries, key=lambda it: min(it.places.values(), default=it.place))
    return [it.chat for it in in_order if it.chat is not None]
