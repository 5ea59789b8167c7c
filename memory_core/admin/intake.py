"""Imports the files of a person: chats of other programs, the host's past chats, or a backup.

It handles one intake at a time, in the background. `status` has its progress; the files are deleted
from the temporary folder as soon as they are no longer needed.
"""

import re
import shutil
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from itertools import count
from pathlib import Path
from typing import Any

from ..domain.errors import LongTermMemoryError
from ..domain.namespaces import Namespace
from ..domain.records import EMPTY_MAPPING, empty_mapping
from ..host.hooks import Hooks
from ..infra.scratch_folders import new_scratch_folder
from ..memory import erasure
from ..memory.forgetting import Forgotten
from ..memory.runtime import Runtime
from .exporters.restore import RestoreMode, RestoreResult, restore_for_tab
from .exporters.restore_plan import RestorePlan, plan_restore
from .importers.dropped_files import UNNAMED, DroppedFiles, for_characters, sort_dropped
from .importers.engine import ImportProgress, ImportResult, ImportRun
from .importers.source import ImportFailure, ImportSource
from .importers.survey import Survey, estimate_embedding_s, survey
from .importers.textgen import host_chats_source


class IntakePhase(StrEnum):
    EMPTY = "empty"
    READING = "reading"
    CHATS_FOUND = "chats_found"
    IMPORTING = "importing"
    IMPORTED = "imported"
    TAKING_BACK = "taking_back"
    TAKEN_BACK = "taken_back"
    BACKUP_FOUND = "backup_found"
    RESTORING = "restoring"
    RESTORED = "restored"
    FAILED = "failed"


_RUNNING = {
    IntakePhase.READING,
    IntakePhase.IMPORTING,
    IntakePhase.TAKING_BACK,
    IntakePhase.RESTORING,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class IntakeStatus:
    """The state of an intake.

    `names` are the dropped files. Of these, `refused` cannot be read, no reader recognises those in
    `unknown`, and `postponed` wait because a backup is handled alone. `skipped` is the number of
    files in each zip that no reader recognises. `survey` has the counts of the chats in all files.
    `embedding_s` is the estimated time of their embeddings; None if it is unknown. `taken_back` is
    the number of memories that an undone import had added.
    """

    phase: IntakePhase = IntakePhase.EMPTY
    names: tuple[str, ...] = ()
    refused: tuple[ImportFailure, ...] = ()
    unknown: tuple[str, ...] = ()
    postponed: tuple[str, ...] = ()
    skipped: Mapping[str, int] = field(default_factory=empty_mapping)
    progress: ImportProgress = field(default_factory=ImportProgress)
    survey: Survey | None = None
    embedding_s: float | None = None
    result: ImportResult | None = None
    plan: RestorePlan | None = None
    restored: tuple[RestoreResult, ...] = ()
    taken_back: int = 0
    is_cancelling: bool = False
    fault: str = ""

    @property
    def is_running(self) -> bool:
        return self.phase in _RUNNING

    @property
    def unnamed(self) -> list[str]:
        """The files with memories of which they do not name the character."""
        origins = self.survey.origins if self.survey else {}
        return [
            origin
            for origin, counts in origins.items()
            if any(space.character == UNNAMED for space in counts.namespaces)
        ]


class Intake:
    """Runs one intake at a time: each begin method returns False while another runs."""

    def __init__(self, hooks: Hooks) -> None:
        self.status = IntakeStatus()
        self._hooks = hooks
        self._sources: Sequence[ImportSource] = ()
        self._postponed = DroppedFiles()
        self._user = ""
        self._scratch: Path | None = None
        self._lock = threading.Lock()
        hooks.runtime.add_closing_duty(self._delete_files)

    def begin_reading(self, paths: Sequence[Path], *, user: str) -> bool:
        """Moves these files away and examines them; `user` owns chats that name no user."""
        if self.status.is_running:
            return False
        self.dismiss()
        self._scratch = new_scratch_folder()
        names = _different_names(paths)
        moved = [
            _move(path, self._scratch / f"in{number}", name)
            for number, (path, name) in enumerate(zip(paths, names, strict=True))
        ]
        start = IntakeStatus(phase=IntakePhase.READING, names=names)
        has_begun = self._begin(start, lambda: self._read(moved, user))
        if not has_begun:
            self._delete_files()
        return has_begun

    def begin_host_import(self) -> bool:
        """Imports all past chats of the host. Raises HostError, ImportFailed."""
        if self.status.is_running:
            return False
        source = host_chats_source(self._hooks.host)
        self.dismiss()
        self._sources = [source]
        return self._begin(IntakeStatus(phase=IntakePhase.IMPORTING), self._import)

    def begin_postponed(self) -> bool:
        """Examines the files that were left aside for a backup."""
        if self.status.is_running or not self.status.postponed:
            return False
        waiting, names = self._postponed, self.status.postponed
        start = IntakeStatus(phase=IntakePhase.READING, names=names)
        return self._begin(start, lambda: self._examine(waiting, self._user))

    def begin_import(self, character: str, others: Mapping[str, str] = EMPTY_MAPPING) -> bool:
        """Imports the examined files; `character` owns chats that name no character.

        `others` maps files, by their origin, to other owners of such chats.
        """
        if self.status.phase is not IntakePhase.CHATS_FOUND:
            return False
        if self.status.unnamed:
            self._sources = for_characters(self._sources, character, others)
        return self._begin(replace(self.status, phase=IntakePhase.IMPORTING), self._import)

    def begin_undo(self) -> bool:
        """Removes the memories that the import added."""
        if self.status.phase is not IntakePhase.IMPORTED:
            return False
        start = replace(self.status, phase=IntakePhase.TAKING_BACK)
        return self._begin(start, self._take_back)

    def begin_reading_backup(self, path: Path, *, user: str) -> bool:
        """Examines a backup on this machine, which stays where it is."""
        if self.status.is_running:
            return False
        self.dismiss()
        start = IntakeStatus(phase=IntakePhase.READING, names=(path.name,))
        return self._begin(start, lambda: self._plan(path, user))

    def begin_restore(self, mode: RestoreMode, *, takes_names: bool = True) -> bool:
        """Restores the backup that was found; its other names only with `takes_names`."""
        if self.status.phase is not IntakePhase.BACKUP_FOUND or self.status.plan is None:
            return False
        plan, start = self.status.plan, replace(self.status, phase=IntakePhase.RESTORING)
        return self._begin(start, lambda: self._restore(plan, mode, takes_names))

    def cancel(self) -> None:
        """Ends the import after the current chat; written chats stay."""
        if self.status.is_running:
            self._update(is_cancelling=True)

    def dismiss(self) -> None:
        """Clears the result, and deletes the dropped files."""
        if not self.status.is_running:
            self._reset()

    def _begin(self, start: IntakeStatus, work: Callable[[], None]) -> bool:
        """Runs the work in the background; returns False if something runs there already."""

        def run() -> None:
            try:
                work()
            except (LongTermMemoryError, OSError) as exc:
                self._fail(str(exc))
            finally:
                if self.status.is_running:  # a bug of ours, which the runtime reports
                    self._fail("")

        with self._lock:
            if self.status.is_running:
                return False
            before, self.status = self.status, replace(start, is_cancelling=False)
            if self._hooks.runtime.in_background("intake", run):
                return True
            self.status = before
            return False

    def failures(self) -> list[str]:
        """Returns the reasons for skipped files and chats, without names of temporary folders."""
        last = self.status.result or self.status.survey
        found = [*self.status.refused, *(last.failures if last else ())]
        return [_without_folder(failure.reason, self._scratch) for failure in found]

    def _update(self, **changes: Any) -> None:  # noqa: ANN401  (fields of IntakeStatus)
        """Changes the status; a click and the work in the background may do so at once."""
        with self._lock:
            self.status = replace(self.status, **changes)

    def _reset(self) -> None:
        self.status, self._sources = IntakeStatus(), ()
        self._delete_files()

    def _fail(self, fault: str) -> None:
        self._update(phase=IntakePhase.FAILED, fault=_without_folder(fault, self._scratch))

    def _show_progress(self, progress: ImportProgress) -> None:
        self._update(progress=progress)

    def _should_stop(self) -> bool:
        return self.status.is_cancelling or self._hooks.runtime.is_stopping()

    def _read(self, paths: Sequence[Path], user: str) -> None:
        scratch = paths[0].parent.parent
        found = sort_dropped(paths, scratch, user=user)
        self._user = user
        self._examine(found, user)

    def _examine(self, found: DroppedFiles, user: str) -> None:
        unknown = tuple(path.name for path in found.unknown)
        self._update(refused=tuple(found.refused), unknown=unknown, skipped=found.skipped)
        if found.backups:
            self._read_backup(found, user)
        elif found.sources:
            self._sources = found.sources
            self._look_for_chats()
        else:
            self._fail("")

    def _read_backup(self, found: DroppedFiles, user: str) -> None:
        first, *backups = found.backups
        self._postponed = replace(found, backups=backups)
        names = [*(path.name for path in backups), *(source.origin for source in found.sources)]
        self._update(postponed=tuple(names))
        self._plan(first, user)

    def _plan(self, path: Path, user: str) -> None:
        plan = plan_restore(self._hooks.runtime.memory, path, user=user)
        self._update(phase=IntakePhase.BACKUP_FOUND, plan=plan)

    def _survey(self) -> Survey:
        return survey(self._sources, on_progress=self._show_progress, stop=self._should_stop)

    def _look_for_chats(self) -> None:
        found = self._survey()
        if self._should_stop():
            self._reset()
            return
        seconds = estimate_embedding_s(self._hooks.runtime.memory.embedder, found)
        phase = IntakePhase.CHATS_FOUND if found.exchanges or found.notes else IntakePhase.FAILED
        self._update(phase=phase, survey=found, embedding_s=seconds)

    def _import(self) -> None:
        """Imports the sources. Those of the host are surveyed first, to tell the time left."""
        found = self.status.survey or self._survey()
        if found.cancelled:
            self._reset()
            return
        progress = ImportProgress(total_chats=found.chats, total_exchanges=found.exchanges)
        self._update(survey=found, progress=progress)
        try:
            result = self._run(found)
        finally:
            self._delete_files()
        runtime = self._hooks.runtime
        for namespace, exchanges in result.namespaces.items():
            new = len(result.new_ids.get(namespace, ()))
            runtime.journal.add_import(namespace, new, exchanges=exchanges)
            runtime.schedule(namespace)
        self._update(phase=IntakePhase.IMPORTED, result=result)

    def _run(self, found: Survey) -> ImportResult:
        runtime = self._hooks.runtime
        commands = runtime.settings.commands.enabled
        return ImportRun(
            runtime.memory,
            [replace(source, executes_commands=commands) for source in self._sources],
            pauses=runtime.pauses,
            total=found.total,
            on_progress=self._show_progress,
            stop=self._should_stop,
        ).run()

    def _take_back(self) -> None:
        result = self.status.result
        count = undo_import(self._hooks.runtime, result.new_ids) if result else 0
        self._update(phase=IntakePhase.TAKEN_BACK, taken_back=count)

    def _restore(self, plan: RestorePlan, mode: RestoreMode, takes_names: bool) -> None:
        done = restore_for_tab(self._hooks, plan.path, mode, to=plan.to, takes_names=takes_names)
        self._update(phase=IntakePhase.RESTORED, restored=tuple(done))
        if not self.status.postponed:
            self._delete_files()

    def _delete_files(self) -> None:
        if self._scratch is not None:
            shutil.rmtree(self._scratch, ignore_errors=True)


def _different_names(paths: Sequence[Path]) -> tuple[str, ...]:
    """Returns the names of the files, of which a repeated one gets a number: `chat (2).jsonl`.

    People know a file, its chats and its character by that name.
    """
    taken = {path.name for path in paths}
    found = dict[str, Path]()
    for path in paths:
        numbered = (f"{path.stem} ({number}){path.suffix}" for number in count(2))
        free = (name for name in numbered if name not in taken and name not in found)
        found[path.name if path.name not in found else next(free)] = path
    return tuple(found)


def _move(path: Path, folder: Path, name: str) -> Path:
    """Moves an upload into a new folder of ours, under this name."""
    folder.mkdir(mode=0o700)
    return Path(shutil.move(path, folder / name))


def _without_folder(text: str, folder: Path | None) -> str:
    """Returns a message without our temporary folder, which means nothing to a reader."""
    return re.sub(rf"{re.escape(str(folder))}[\\/](?:in)?\d+[\\/]?", "", text) if folder else text


def undo_import(runtime: Runtime, new_ids: Mapping[Namespace, Sequence[str]]) -> int:
    """Erases these memories at once, edits of them included; returns their number.

    Those that were forgotten meanwhile stay forgotten. Raises StorageError.
    """
    count = 0
    for namespace, ids in new_ids.items():
        space = runtime.memory.resolve(namespace)
        with runtime.memory.open_namespace(space) as opened:
            gone = erasure.erase_import(opened, ids, now=runtime.memory.now())
        count += len(gone)
        runtime.notify_forgotten(Forgotten.of(space, ids, gone))
    return count
