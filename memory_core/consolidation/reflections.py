"""Stores the memories that were derived from several others, and marks these as reflected."""

from ..domain.namespaces import Namespace
from ..memory.derived_memories import DerivedMemories
from .contract import Reflection


def store_reflection(derived: DerivedMemories, namespace: Namespace, result: Reflection) -> None:
    """Writes the new memories before the marks, which change their sources."""
    made: list[str] = []
    for update in result.updates:
        new = derived.add(namespace, update.new)
        for old in set(update.replaces) - {new}:
            derived.supersede(namespace, old, new)
        made.append(new)
    for memory_id in result.read if made else ():
        derived.mark_reflected(namespace, memory_id, made)


def named_in_reflection(result: Reflection) -> set[str]:
    """Returns the ids of all memories that the result names."""
    named = set(result.read)
    for update in result.updates:
        named |= {*update.new.sources, *update.replaces}
    return named
