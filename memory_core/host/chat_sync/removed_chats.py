"""What was taken out of its chat: nothing recalls it, but its words are kept until it is forgotten.

They are kept so that a chat which says it again, or another copy of it, finds its memory. What was
pinned is not among these.
"""

from ...domain.namespaces import Namespace
from ...domain.records import Memory
from ...memory.long_term_memory import LongTermMemory


def count_removed(memory: LongTermMemory, namespace: Namespace) -> int:
    return memory.counts(namespace)["removed"]


def removed(memory: LongTermMemory, namespace: Namespace) -> list[Memory]:
    """The one said last comes first."""
    most = count_removed(memory, namespace)
    with memory.using(namespace) as archive:
        found = archive.read(lambda store: store.evictable(most))
    ids = [it.id for it in reversed(found) if not it.is_live]
    entries = memory.entries(namespace, ids)
    return [entries[it].memory for it in ids if it in entries]
