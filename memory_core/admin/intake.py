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
from .importers import host_chats
from .importers.dropped_files import UNNAMED, DroppedFiles, for_characters, sort_dropped
from .importers.job import ImportJob, ImportPhase
from .importers.source import ImportFailure, ImportSource


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
    """The state of an intake. The import itself has its own status.

    `names` are the dropped files. Of these, `refused` cannot be read, no reader recognises those in
    `unknown`, and `postponed` wait because a backup is handled alone. `skipped` is the number of
    files in each zip that no reader recognises. `taken_back` is the number of memories that an
    undone import had added.
    """

    phase: IntakePhase = IntakePhase.EMPTY
    names: tuple[str, ...] = ()
    refused: tuple[ImportFailure, ...] = ()
    unknown: tuple[str, ...] = ()
    postponed: tuple[str, ...] = ()
    skipped: Mapping[str, int] = field(default_factory=empty_mapping)
    plan: RestorePlan | None = None
    restored: tuple[RestoreResult, ...] = ()
    taken_back: int = 0
    is_cancelling: bool = False
    fault: str = ""

    @property
    def is_running(self) -> bool:
        return self.phase in _RUNNING


class Intake:
    """Runs one intake at a time: each begin method returns False while another runs."""

    def __init__(self, hooks: Hooks, job: ImportJob) -> None:
        self.status = IntakeStatus()
        self.job = job
        self._hooks = hooks
        self._sources: Sequence[ImportSource] = ()
        self._postponed = DroppedFiles()
        self._user = ""
        self._scratch: Path | None = None
        self._lock = threading.Lock()
        hooks.runtime.add_closing_duty(self._delete_files)

    def names_all_characters(self) -> bool:
        """Returns False if the files do not name the character of some memories."""
        survey = self.job.status.survey
        return survey is None or all(space.character != UNNAMED for space in survey.namespaces)

    def unnamed_origins(self) -> list[str]:
        """Returns the files with memories of which they do not name the character."""
        survey = self.job.status.survey
        origins = survey.origins if survey else {}
        return [
            origin
            for origin, counts in origins.items()
            if any(space.character == UNNAMED for space in counts.namespaces)
        ]

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
        source = host_chats.host_chats_source(self._hooks.host)
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
        if not self.names_all_characters():
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
            self.status = replace(self.status, is_cancelling=True)
        self.job.cancel()

    def dismiss(self) -> None:
        """Clears the result, and deletes the dropped files."""
        if not self.status.is_running:
            self.status, self._sources = IntakeStatus(), ()
            self.job.release()
            self._delete_files()

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
            before, self.status = self.status, start
            if self._hooks.runtime.in_background("intake", run):
                return True
            self.status = before
            return False

    def failures(self) -> list[str]:
        """Returns the reasons for skipped files and chats, without names of temporary folders."""
        last = self.job.status.result or self.job.status.survey
        found = [*self.status.refused, *(last.failures if last else ())]
        return [_without_folder(failure.reason, self._scratch) for failure in found]

    def _fail(self, fault: str) -> None:
        fault = _without_folder(fault, self._scratch)
        self.status = replace(self.status, phase=IntakePhase.FAILED, fault=fault)

    def _read(self, paths: Sequence[Path], user: str) -> None:
        scratch = paths[0].parent.parent
        found = sort_dropped(paths, scratch, user=user)
        self._user = user
        self._examine(found, user)

    def _examine(self, found: DroppedFiles, user: str) -> None:
        unknown = tuple(path.name for path in found.unknown)
        self.status = replace(
            self.status, refused=found.refused, unknown=unknown, skipped=found.skipped
        )
        if found.backups:
            self._read_backup(found, user)
        elif found.sources:
            self._survey(found.sources)
        else:
            self._fail("")

    def _read_backup(self, found: DroppedFiles, user: str) -> None:
        first, *backups = found.backups
        self._postponed = replace(found, backups=tuple(backups))
        names = [*(path.name for path in backups), *(source.origin for source in found.sources)]
        self.status = replace(self.status, postponed=tuple(names))
        self._plan(first, user)

    def _plan(self, path: Path, user: str) -> None:
        plan = plan_restore(self._hooks.runtime.memory, path, user=user)
        self.status = replace(self.status, phase=IntakePhase.BACKUP_FOUND, plan=plan)

    def _survey(self, sources: Sequence[ImportSource]) -> None:
        self._sources = sources
        self._run_job(survey_only=True)
        if self.status.is_cancelling:
            self.status = IntakeStatus()
            self.job.release()
            self._delete_files()
        elif self.status.is_running:
            found = self.job.status.survey
            has_any = found is not None and (found.exchanges or found.notes)
            phase = IntakePhase.CHATS_FOUND if has_any else IntakePhase.FAILED
            self.status = replace(self.status, phase=phase)

    def _import(self) -> None:
        self._run_job(survey_only=False)
        if self.status.is_running:
            self.status = replace(self.status, phase=IntakePhase.IMPORTED)
        self._delete_files()

    def _run_job(self, *, survey_only: bool) -> None:
        runtime, known = self._hooks.runtime, self.job.status.survey
        if not self.job.try_begin():
            return
        commands = runtime.settings.commands.enabled
        sources = [replace(source, executes_commands=commands) for source in self._sources]
        host_chats.run_import(runtime, self.job, sources, survey_only=survey_only, known=known)
        if self.job.status.phase is ImportPhase.FAILED:
            self._fail(self.job.status.fault)

    def _take_back(self) -> None:
        result = self.job.status.result
        count = undo_import(self._hooks.runtime, result.new_ids) if result else 0
        self.status = replace(self.status, phase=IntakePhase.TAKEN_BACK, taken_back=count)

    def _restore(self, plan: RestorePlan, mode: RestoreMode, takes_names: bool) -> None:
        done = restore_for_tab(self._hooks, plan.path, mode, to=plan.to, takes_names=takes_names)
        self.status = replace(self.status, phase=IntakePhase.RESTORED, restored=tuple(done))
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
