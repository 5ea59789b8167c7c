"""Swaps one namespace folder, forward or back, starting from any interrupted state.

In the staging folder, `new/` holds the replacements and `old/` the replaced folders. `since-0/` and
so on hold folders that a program wrote while the target was missing; these are merged. Nothing is
deleted here. Each step is one rename, so both directions can go on after a crash.
"""

import os
import stat
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import count
from pathlib import Path

from ..domain.errors import StorageCorrupt, StorageFailed
from ..infra import durable_files
from . import pauses
from .log.event_log import CONVERSATIONS, LOCK, EventLog
from .log.events import unpack
from .log.log_file import complete_lines
from .manifest import MANIFEST
from .merge_logs import merge_folders
from .swap_markers import NEW_FOLDER, OLD_FOLDER, SINCE_FOLDER, archived_name

LogSizes = Mapping[str, int]
_MERGED_PREFIX, _USED_PREFIX = "joined", "used"


@dataclass(frozen=True, slots=True, kw_only=True)
class FolderSwap:
    """Swap of one folder or one file.

    `sizes_seen` are the logs, with their sizes, that the target had before; `sizes_made` those of
    the new folder. `carried_parts` are files and folders that move from the old to the new folder.
    All methods raise StorageError.
    """

    root: Path
    staging: Path
    name: str
    sizes_seen: LogSizes
    sizes_made: LogSizes | None
    carried_parts: Sequence[str]

    @property
    def new_path(self) -> Path:
        return self.staging / NEW_FOLDER / self.name

    @property
    def target_path(self) -> Path:
        return self.root / self.name

    @property
    def old_path(self) -> Path:
        return self.staging / OLD_FOLDER / self.name

    @property
    def is_outdated(self) -> bool:
        """True if the target is not swapped yet and was written to since `sizes_seen`."""
        if not durable_files.exists(self.new_path) or durable_files.exists(self.old_path):
            return False
        return EventLog(self.target_path).logs() != self.sizes_seen

    def apply(self) -> None:
        """Moves the new folder to the target and merges what was written there meanwhile."""
        if _is_file(self.new_path):
            self._replace_file()
        elif durable_files.exists(self.new_path):
            if durable_files.exists(self.target_path) and not durable_files.exists(self.old_path):
                move(self.target_path, self.old_path)
            self._install(self.new_path)
        elif durable_files.exists(self.old_path) and not durable_files.exists(self.target_path):
            self._install(self.old_path)  # a revert was interrupted here
        if not _is_file(self.old_path):
            self._carry_parts(self.old_path, self.target_path)

    def revert(self) -> None:
        """Moves the old folder back to the target and merges what was written there meanwhile."""
        if _is_file(self.old_path):
            self._restore_file()
        elif durable_files.exists(self.old_path):
            if durable_files.exists(self.target_path) and not durable_files.exists(self.new_path):
                self._carry_parts(self.target_path, self.old_path)
                if EventLog(self.target_path).logs() == self.sizes_made:
                    move(self.target_path, self.new_path)
            self._install(self.old_path)

    def refuse_missing_target(self) -> None:
        """Raises StorageFailed if the staging folder may hold the only copy."""
        if durable_files.exists(self.old_path) and not durable_files.exists(self.target_path):
            raise StorageFailed(
                f"{self.target_path} is missing: do not delete {self.old_path}, which holds its "
                "memories"
            )

    def archive_unmerged(self) -> list[Path]:
        """Moves folders of later writes that could not be merged completely beside the target.

        Returns their new paths.
        """
        archived = []
        for since in self._later_folders():
            if not _is_fully_merged(since):
                archived.append(archived_name(self.target_path))
                move(since, archived[-1])
        return archived

    def _install(self, base: Path) -> None:
        if durable_files.exists(self.target_path):
            move(self.target_path, self._next_free_path(SINCE_FOLDER))
        final = self._merge_later_writes(base)
        move(final, self.target_path)
        if final != base:
            self._carry_parts(self.old_path, self.target_path)
            move(base, self._next_free_path(_USED_PREFIX))

    def _merge_later_writes(self, base: Path) -> Path:
        """Merges later writes into `base`; returns the merged folder. Safe to repeat: ids that are
        there already are not added again.
        """
        final = base
        for n, since in enumerate(self._later_folders()):
            if any(EventLog(since).logs().values()):
                target = self.staging / f"{_MERGED_PREFIX}-{n}" / self.name
                with durable_files.naming_errors(since):
                    merge_folders(since, final, target, suffix="")
                final = target
            self._carry_pauses(base, since, final)
        return final

    def _carry_pauses(self, base: Path, since: Path, final: Path) -> None:
        """Merges the pauses of all sides into `final`. Unreadable pauses stay as they are."""
        own = base if durable_files.exists(base / pauses.FILE) else self.old_path
        here = final if durable_files.exists(final / pauses.FILE) else own
        with suppress(StorageCorrupt):
            for source in (since, own):
                if (saved := pauses.read_saved(source)) is not None:
                    pauses.restore(saved, final, here)
                    here = final

    def _carry_parts(self, source: Path, target: Path) -> None:
        for part in self.carried_parts:
            if durable_files.exists(source / part) and not durable_files.exists(target / part):
                move(source / part, target / part)

    def _later_folders(self) -> Iterator[Path]:
        """Yields the folders of later writes, the oldest first."""
        for n in count():
            path = self.staging / f"{SINCE_FOLDER}-{n}" / self.name
            if not durable_files.exists(path.parents[self.name.count("/")]):
                return
            if durable_files.exists(path):
                yield path

    def _next_free_path(self, part: str) -> Path:
        paths = (self.staging / f"{part}-{n}" / self.name for n in count())
        return next(path for path in paths if not durable_files.exists(path))

    def _replace_file(self) -> None:
        """Replaces a file without a gap: readers must find the aliases at any time."""
        if durable_files.exists(self.target_path):
            durable_files.make_folder(self.old_path.parent)
            durable_files.replace(self.old_path, _read_bytes(self.target_path))
        move(self.new_path, self.target_path)

    def _restore_file(self) -> None:
        if not durable_files.exists(self.new_path):
            durable_files.replace(self.new_path, _read_bytes(self.target_path))
        move(self.old_path, self.target_path)


def move(source: Path, target: Path) -> None:
    """Moves a file or a folder; a file replaces an existing target. Raises StorageFailed."""
    durable_files.make_folder(target.parent)
    with durable_files.naming_errors(target):
        (os.replace if _is_file(source) else os.rename)(source, target)
    durable_files.sync_folder(target.parent)
    durable_files.sync_folder(source.parent)


def _is_file(path: Path) -> bool:
    found = durable_files.stat_or_none(path)
    return found is not None and stat.S_ISREG(found.st_mode)


def _read_bytes(path: Path) -> bytes:
    with durable_files.naming_errors(path):
        return path.read_bytes()


def _is_fully_merged(folder: Path) -> bool:
    """Returns whether a merge takes all of the folder: nothing is damaged, foreign or newer."""
    with durable_files.naming_errors(folder):
        paths = [*folder.glob("*"), *folder.glob(f"{CONVERSATIONS}/*")]
        files = [path for path in paths if path.is_file() or path.is_symlink()]
    return all(_is_mergeable(path, path.relative_to(folder).as_posix()) for path in files)


def _is_mergeable(path: Path, name: str) -> bool:
    if name in (LOCK, MANIFEST):
        return True
    try:
        if name == pauses.FILE:
            pauses.read_saved(path.parent)
        elif EventLog.log_at(name) is not None:
            for data in complete_lines(path):
                unpack(data[:-1], EventLog.log_at(name) or "")
    except StorageCorrupt:
        return False
    return name == pauses.FILE or EventLog.log_at(name) is not None
