"""An import with a status to watch and a way to cancel it. Starts no thread."""

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum

from ...domain.errors import LongTermMemoryError
from ...memory.long_term_memory import LongTermMemory
from ...storage.pauses import ChatPauses
from .engine import ImportProgress, ImportResult, ImportRun
from .source import ImportSource
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
        sources: Sequence[ImportSource],
        *,
        survey_only: bool,
        is_stopping: Callable[[], bool],
        pauses: ChatPauses | None = None,
        known: Survey | None = None,
    ) -> ImportResult | None:
        """Surveys the sources, then imports them unless `survey_only`; `status` has the outcome.

        `known` is an earlier survey of the same files, which need not be read again then.
        """

        def stop() -> bool:
            return self._cancelled.is_set() or is_stopping()

        try:
            found = known or survey(sources, on_progress=self._update_progress, stop=stop)
            self._set_surveyed(memory, found, survey_only)
            if self.status.phase is not ImportPhase.IMPORTING:
                return None
            run = ImportRun(
                memory,
                sources,
                pauses=pauses,
                total=found.total,
                on_progress=self._update_progress,
                stop=stop,
            )
            result = run.run()
            self.status = replace(self.status, phase=ImportPhase.DONE, result=result)
            return result
        except (LongTermMemoryError, OSError) as exc:
            self.status = replace(self.status, phase=ImportPhase.FAILED, fault=str(exc))
            return None
        finally:
            if self.status.is_running:  # a bug of ours, which the caller reports
                self.status = replace(self.status, phase=ImportPhase.FAILED)

    def _set_surveyed(self, memory: LongTermMemory, found: Survey, survey_only: bool) -> None:
        done = survey_only or found.cancelled
        self.status = ImportStatus(
            phase=ImportPhase.SURVEYED if done else ImportPhase.IMPORTING,
            progress=ImportProgress(total_chats=found.chats, total_exchanges=found.exchanges),
            survey=found,
            embedding_s=estimate_embedding_s(memory.embedder, found),
        )

    def _update_progress(self, progress: ImportProgress) -> None:
        self.status = replace(self.status, progress=progress)
