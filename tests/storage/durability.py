"""Checks of a storage folder for the tests of durability."""

from pathlib import Path

from memory_core.admin.doctor.run import DoctorOptions, examine
from memory_core.memory.long_term_memory import LongTermMemory
from memory_core.storage.index.local import LocalStore
from tests.builders import KIND, SPACE, Clock, user_sides


def faults(root: Path, clock: Clock | None = None) -> list[str]:
    """Returns the faults that the doctor finds below this folder."""
    terms = DoctorOptions(open_store=LocalStore, undo_s=KIND.undo_forget_s, clock=clock or Clock())
    return [finding.problem for finding in examine(root, terms).findings if finding.is_fault]


def sayings(memory: LongTermMemory) -> list[str]:
    """Returns what the user said in the conversation "talk"."""
    return user_sides(memory.conversation(SPACE, "talk", 9999))
