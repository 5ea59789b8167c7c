"""Finds the exchanges of which a summary or another derived memory was made.

The settings limit them in messages, as in MemoryScope.
"""

from collections.abc import Collection

from ..domain.namespaces import Namespace
from ..storage.contract import DerivedFilter
from .long_term_memory import LongTermMemory


def memorised_ids(
    memory: LongTermMemory, namespace: Namespace, ids: Collection[str]
) -> frozenset[str]:
    """Returns those of these exchanges that a live derived memory names as a source."""
    if not ids:
        return frozenset()
    only = DerivedFilter(sources=frozenset(ids))
    with memory.open_namespace(namespace) as opened:
        derived = opened.find_derived(only)
    named = frozenset(source for note in derived for source in note.sources)
    return named & frozenset(ids)


def exchanges_in(messages: int) -> int:
    """Returns the number of exchanges that hold so many messages."""
    return (messages + 1) // 2
