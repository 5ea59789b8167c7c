"""An import that somebody watches: how far it is, and a way to stop it. Starts no thread."""

import threading
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from enum import StrEnum

from ...domain.errors import LongTermMemoryError
from ...memory.long_term_memory import LongTermMemory
from ...storage.pauses import Switches
from .engine import Progress, Result, Source, import_chats
from .survey import Survey, embedding_s, survey


class Phase(StrEnum):
    IDLE = "idle"
    LOOKING = "looking"
    LOOKED = "looked"
    IMPORTING = "importing"
    DONE = "done"
    FAILED = "failed"


@dataclass(frozen=True, slots=True, kw_only=True)
class Status:
    """What is known so far. `embedding_s` is None where nobody can know, `fault` says why not."""

    phase: Phase = Phase.IDLE
    progress: Progress = field(default_factory=Progress)
    survey: Survey | None = None
    embedding_s: float | None = None
    result: Result | None = None
    fault: str = ""

    @property
    def is_running(self) -> bool:
        return self.phase in (Phase.LOOKING, Phase.IMPORTING)


class ImportJob:
    """One at a time: whoever runs it asks try_begin() first. Its status may be read any time."""

    def __init__(self) -> None:
        self.status = Status()
        self._lock = threading.Lock()
        self._cancelled = threading.Event()

    def try_begin(self) -> bool:
        """False while one is running."""
        with self._lock:
            if self.status.is_running:
                return False
            self._cancelled.clear()
            self.status = Status(phase=Phase.LOOKING)
            return True

    def give_back(self) -> None:
        """What was begun is not run after all."""
        self.status = Status()

    def cancel(self) -> None:
        """Ends it behind the chat that is being written; what is written stays."""
        self._cancelled.set()

    def run(
        self,
        memory: LongTermMemory,
        source: Source,
        *,
        only_look: bool,
        is_stopping: Callable[[], bool],
        switches: Switches | None = None,
    ) -> Result | None:
        """Looks and, unless that is all, imports; the outcome stands in `status`."""

        def stop() -> bool:
            return self._cancelled.is_set() or is_stopping()

        try:
            found = self._looked(memory, source, only_look, stop)
            if self.status.phase is not Phase.IMPORTING:
                return None
            result = import_chats(
                memory, source, switches=switches, total=found.total, tell=self._tell, stop=stop
            )
            self.status = replace(self.status, phase=Phase.DONE, result=result)
            return result
        except (LongTermMemoryError, OSError) as exc:
            self.status = replace(self.status, phase=Phase.FAILED, fault=str(exc))
            return None
        finally:
            if self.status.is_running:  # a bug of ours: told by whoever runs this
                self.status = replace(self.status, phase=Phase.FAILED)

    def _looked(
        self, memory: LongTermMemory, source: Source, only_look: bool, stop: Callable[[], bool]
    ) -> Survey:
        found = survey(source, tell=self._tell, stop=stop)
        done = only_look or found.cancelled
        self.status = Status(
            phase=Phase.LOOKED if done else Phase.IMPORTING,
            progress=Progress(of_chats=found.chats, of_exchanges=found.exchanges),
            survey=found,
            embedding_s=embedding_s(memory.embedder, found),
        )
        return found

    def _tell(self, progress: Progress) -> None:
        self.status = replace(self.status, progress=progress)
