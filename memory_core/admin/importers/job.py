"""An import with a status to watch and a way to cancel it. Starts no thread."""

import threading
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from enum import StrEnum

from ...domain.errors import LongTermMemoryError
from ...memory.long_term_memory import LongTermMemory
from ...storage.pauses import ChatPauses
from .engine import ImportProgress, ImportResult, ImportSource, import_chats
from .survey import Survey, estimate_embedding_s, survey


class ImportPhase(StrEnum):
    IDLE = "idle"
    SURVEYING = "looking"
    SURVEYED = "looked"
    IMPORTING = "importing"
    DONE = "done"
    FAILED = "failed"


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportStatus:
    """The state of an import. `embedding_s` is None if unknown; `fault` says why it failed."""

    phase: ImportPhase = ImportPhase.IDLE
    progress: ImportProgress = field(default_factory=ImportProgress)
    survey: Survey | None = None
    embedding_s: float | None = None
    result: ImportResult | None = None
    fault: str = ""

    @property
    def is_running(self) -> bool:
        return self.phase in (ImportPhase.SURVEYING, ImportPhase.IMPORTING)


class ImportJob:
    """Runs one import at a time: call try_begin() before run(). Read `status` at any time."""

    def __init__(self) -> None:
        self.status = ImportStatus()
        self._lock = threading.Lock()
        self._cancelled = threading.Event()

    def try_begin(self) -> bool:
        """Reserves the job; returns False while one is running."""
        with self._lock:
            if self.status.is_running:
                return False
            self._cancelled.clear()
            self.status = ImportStatus(phase=ImportPhase.SURVEYING)
            return True

    def release(self) -> None:
        """Takes back try_begin() without a run."""
        self.status = ImportStatus()

    def cancel(self) -> None:
        """Ends the import after the current chat; written chats stay."""
        self._cancelled.set()

    def run(
        self,
        memory: LongTermMemory,
        source: ImportSource,
        *,
        survey_only: bool,
        is_stopping: Callable[[], bool],
        switches: ChatPauses | None = None,
    ) -> ImportResult | None:
        """Surveys the source, then imports it unless `survey_only`; `status` has the outcome."""

        def stop() -> bool:
            return self._cancelled.is_set() or is_stopping()

        try:
            found = self._run_survey(memory, source, survey_only, stop)
            if self.status.phase is not ImportPhase.IMPORTING:
                return None
            result = import_chats(
                memory,
                source,
                switches=switches,
                total=found.total,
                tell=self._update_progress,
                stop=stop,
            )
            self.status = replace(self.status, phase=ImportPhase.DONE, result=result)
            return result
        except (LongTermMemoryError, OSError) as exc:
            self.status = replace(self.status, phase=ImportPhase.FAILED, fault=str(exc))
            return None
        finally:
            if self.status.is_running:  # a bug of ours, which the caller reports
                self.status = replace(self.status, phase=ImportPhase.FAILED)

    def _run_survey(
        self,
        memory: LongTermMemory,
        source: ImportSource,
        survey_only: bool,
        stop: Callable[[], bool],
    ) -> Survey:
        found = survey(source, tell=self._update_progress, stop=stop)
        done = survey_only or found.cancelled
        self.status = ImportStatus(
            phase=ImportPhase.SURVEYED if done else ImportPhase.IMPORTING,
            progress=ImportProgress(total_chats=found.chats, total_exchanges=found.exchanges),
            survey=found,
            embedding_s=estimate_embedding_s(memory.embedder, found),
        )
        return found

    def _update_progress(self, progress: ImportProgress) -> None:
        self.status = replace(self.status, progress=progress)
