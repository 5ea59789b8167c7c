"""Schedules erasures that are due in namespaces which no chat of this program uses.

The deriver looks after namespaces that were used since the start. Without this, forgotten words
would stay on disk where an earlier program ended within the undo time.
"""

import time
from collections import deque
from contextlib import suppress

from ..domain.errors import StorageError
from ..domain.namespaces import Namespace
from ..storage.log.erasure import has_tombstones
from .erasure import awaits_erasure
from .long_term_memory import LongTermMemory
from .runtime import Runtime

_ROUND_S = 0.2


class ErasureSchedule:
    """Checks all namespaces once, a few in each idle round of a runtime."""

    def __init__(self, runtime: Runtime) -> None:
        self._runtime = runtime
        self._memory: LongTermMemory | None = None
        self._unchecked: deque[Namespace] = deque()

    def run_due(self) -> None:
        """Checks the next namespaces; all of them anew once the storage folder has changed."""
        memory = self._runtime.memory
        if memory is not self._memory:
            self._unchecked = deque(_all_namespaces(memory))
            self._memory = memory
        until = time.monotonic() + _ROUND_S
        while self._unchecked and time.monotonic() < until and not self._runtime.is_stopping():
            self._check(memory, self._unchecked.popleft())

    def _check(self, memory: LongTermMemory, namespace: Namespace) -> None:
        with suppress(StorageError):  # reported when somebody uses it
            if _awaits_erasure(memory, namespace):
                self._runtime.schedule(namespace)


def _all_namespaces(memory: LongTermMemory) -> list[Namespace]:
    try:
        return memory.namespaces()
    except StorageError:  # the program reports it elsewhere
        return []


def _awaits_erasure(memory: LongTermMemory, namespace: Namespace) -> bool:
    """Returns whether forgotten words are left. Opens only namespaces in which any were forgotten.

    Raises StorageError.
    """
    if not memory.shared.namespaces.has(namespace):
        return False
    if memory.shared.is_in_files and not has_tombstones(namespace.folder(memory.root)):
        return False
    return awaits_erasure(memory.open_namespace, namespace)
