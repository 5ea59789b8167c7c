"""Describes the state of a fact from the chat: outdated, part of a story, or in doubt."""

from collections.abc import Collection

from ....domain.derivations import Derivation, Flag
from ....domain.records import Memory
from ....text.locales import Words

_FLAGS = {
    Flag.FICTION: "fact_invented",
    Flag.ROLE_PLAY: "fact_invented",
    Flag.HYPOTHETICAL: "fact_supposed",
}


def fact_state(
    memory: Memory, outdated: Collection[str], doubted: Collection[str], words: Words
) -> list[str]:
    """Returns the reason why the memory is no plain fact, or "".

    `outdated`: ids of replaced memories. `doubted`: ids of memories that await a decision.
    """
    derived = memory.derived
    if derived is None:
        return []
    found = [words[_FLAGS[derived.flag]]] if derived.flag else []
    if memory.id in outdated:
        found.append(words["fact_repeats" if _is_repeat(memory, derived) else "reason_outdated"])
    if memory.id in doubted:
        found.append(words["fact_in_doubt"])
    return found


def _is_repeat(memory: Memory, derived: Derivation) -> bool:
    """Returns whether the memory was only replaced as a repetition of another one."""
    return derived.valid_to is not None and derived.valid_to == memory.ts
