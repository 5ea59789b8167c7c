"""Finds memories that other programs wrote to a database under a name while it changed.

Programs refresh the names once a second. A write under the former name is stored there, where
nobody would find it.
"""

import time

from ..domain.errors import StorageError
from ..domain.namespaces import Namespace
from ..memory.long_term_memory import LongTermMemory
from ..memory.runtime import Runtime
from ..storage.aliases import Aliases
from .backup.safety_copy import backup_folder, make_safety_backup
from .move_namespaces import move_events

_ALL_KNOW_S = 5.0
_REPORT_PART = "former names"


def late_written(memory: LongTermMemory) -> list[Namespace]:
    """Returns the former names that have memories of their own. Raises StorageFailed."""
    if memory.shared.is_in_files:  # finish_renames() handles these
        return []
    known = memory.shared.namespaces
    return [old for old in memory.aliases.namespaces if known.last_written_at(old)]


def move_late_writes(memory: LongTermMemory) -> int:
    """Moves late writes to the current names; returns the number of former names.

    Raises StorageFailed.
    """
    found = late_written(memory)
    for old in found:
        new = memory.resolve(old)
        with memory.closed([new]), memory.shared.begin_swap() as stage:
            into = backup_folder(memory.root)
            make_safety_backup(old, stage.current_root(old), into, now=memory.now())
            move_events(old, new, stage, memory.aliases)
    return len(found)


class LateWrites:
    """Moves late writes once after each change of names, when all programs know the new ones."""

    def __init__(self, runtime: Runtime) -> None:
        self._runtime = runtime
        self._known: Aliases | None = None
        self._due_at: float | None = None

    def run_due(self) -> None:
        """Moves late writes, a while after the names changed; reports a failure."""
        memory = self._runtime.memory
        if memory.shared.is_in_files:
            return
        if memory.aliases is not self._known:
            self._known, self._due_at = memory.aliases, time.monotonic() + _ALL_KNOW_S
        elif self._due_at is not None and time.monotonic() >= self._due_at:
            self._move(memory)

    def _move(self, memory: LongTermMemory) -> None:
        try:
            move_late_writes(memory)
        except StorageError as exc:  # the next round tries again
            self._runtime.report(_REPORT_PART, f"memories under a former name stay there: {exc}")
            return
        self._runtime.clear(_REPORT_PART)
        self._due_at = None
