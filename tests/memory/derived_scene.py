"""Builders for tests of derived memories: an exchange, and memories made of it."""

from memory_core.domain.derivations import EXTRACTIVE, Derivation
from memory_core.domain.namespaces import Namespace
from memory_core.domain.records import MemoryKind
from memory_core.memory.derived_memories import DerivedMemories, NewDerived
from memory_core.memory.long_term_memory import LongTermMemory
from tests.builders import SPACE, opened_namespace, said

PORTO = "I live in Porto"
LISBON = "I moved to Lisbon"


def remember(memory: LongTermMemory, text: str, *, ts: float | None = None) -> str:
    """Stores an exchange in the chat "talk"; returns its id."""
    return memory.remember(SPACE, "talk", said(text, ts=memory.now() if ts is None else ts))


def observe(
    memory: LongTermMemory,
    text: str,
    *sources: str,
    kind: MemoryKind = MemoryKind.OBSERVATION,
    derived: Derivation | None = None,
    space: Namespace = SPACE,
) -> str:
    """Adds an observation made of these memories; returns its id."""
    records = opened_namespace(memory, space).records(sources)
    new = NewDerived(
        kind=kind,
        text=text,
        sources={name: entry.seq for name, entry in records.items()},
        derived=derived or Derivation(made_by=EXTRACTIVE),
    )
    return DerivedMemories(memory).add(space, new)
