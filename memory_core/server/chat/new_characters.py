"""Keeps a new character off the disk while all that was said to it is incognito."""

from ...domain.namespaces import Namespace
from ...memory.runtime import Runtime
from ...storage.pauses import ChatPauses
from ...storage.small_files import FilesInMemory
from .turns import PreparedTurn

_MAX_CHARACTERS = 4096


class NewCharacters:
    """Finds the place of keyed hashes: in memory alone until something of a character is stored."""

    def __init__(self, runtime: Runtime) -> None:
        self._runtime = runtime
        self._unsaved = ChatPauses(runtime.memory.root, FilesInMemory(_MAX_CHARACTERS))

    def pauses_for(self, turn: PreparedTurn, namespace: Namespace) -> ChatPauses:
        """Returns the pauses that exclude this turn's messages. Raises StorageError."""
        if turn.request.metadata.incognito and not self._runtime.memory.has_namespace(namespace):
            return self._unsaved
        self._runtime.pauses.take_over(self._unsaved, namespace)
        return self._runtime.pauses
