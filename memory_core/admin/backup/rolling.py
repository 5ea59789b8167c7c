"""Keeps a few dated copies of all memories in a folder that outlives the extension's own.

A copy stays while it holds a memory that no newer copy has. Erased and deleted memories are removed
from all copies, including those of earlier installations and in folders used before.
"""

import hashlib
import shutil
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from functools import partial
from pathlib import Path

from ...config.schema import RollingBackupSettings
from ...domain.errors import ImportFailed, StorageError, StorageFailed
from ...domain.namespaces import Namespace
from ...infra import durable_files
from ...infra.file_locks import try_file_lock
from ...storage.aliases import ALIASES, read_aliases_or_none
from ...storage.held import FILE as HELD
from ...storage.log.event_log import EventLog
from ...storage.log.events import FORMAT
from ...storage.manifest import list_namespaces
from ...storage.pauses import FILE as SWITCHES
from .copy_folder import (
    BackupCopy,
    CopyContents,
    check_copy,
    find_superseded,
    list_copies,
    new_path,
    read_contents,
    remove_namespace,
)
from .copy_state import DeletedNamespace, read_record, read_state, write_record, write_state
from .erased_scan import ErasedIds, log_paths, memory_ids_in
from .purge import erase_ids_from_backups
from .writer import write_backup

_LOCK = ".lock"
_DAY_S = 86_400.0
_RETRY_AFTER_S = 3600.0  # too costly at every call if it failed or had nothing to do
_MIN_FREE_BYTES = 64 << 20
_REPAIR_ADVICE = "run `python -m memory_core doctor --repair`"


class RollingBackup:
    """Makes, cleans and offers copies. Makes none without a `folder`. For one thread at a time."""

    def __init__(self, root: Path, folder: Path | None, settings: RollingBackupSettings) -> None:
        self.root = root
        self.folder = folder
        self.settings = settings
        self._erased = ErasedIds(root)
        self._last_attempts: dict[Path, tuple[str, float]] = {}
        self._last_renewal = 0.0
        self._problems: dict[str, list[str]] = {}

    def run_due(self, now: float) -> list[str]:
        """Cleans and makes copies as far as due; returns messages of failures."""
        self.clean(now)
        if abs(now - self._last_renewal) >= _RETRY_AFTER_S:
            try:
                self._problems["renew"] = self._copy_if_due(now)
            except (StorageError, ImportFailed) as exc:
                self._last_renewal = now
                self._problems["renew"] = [f"no automatic backup could be made: {exc}"]
        return self._found_problems()

    def clean(self, now: float) -> list[str]:
        """Removes erased and deleted memories from all copies; returns messages of failures."""
        for folder in self.folders():
            try:
                self._purge(folder, now)
            except (StorageError, ImportFailed) as exc:
                problem = f"the backups in {folder} may hold erased memories: {exc}"
                self._problems[f"purge {folder}"] = [problem]
        return self._found_problems()

    def _found_problems(self) -> list[str]:
        return [problem for problems in self._problems.values() for problem in problems]

    def folders(self) -> list[Path]:
        """Returns the existing folders that copies are or were made in."""
        used = [Path(folder) for folder in read_record(self.root).folders]
        found = dict.fromkeys([*([self.folder] if self.folder else []), *used])
        return [folder for folder in found if durable_files.is_folder(folder)]

    def copies(self) -> list[BackupCopy]:
        """Returns the copies in the current folder, newest first. Raises StorageFailed."""
        return list_copies(self.folder) if self.folder else []

    def copy_before_update(self, now: float) -> list[str]:
        """Makes a copy if the last one has another log format; returns messages of failures.

        Call it before anything is opened.
        """
        if self.folder is None or not self.settings.enabled:
            return []
        try:
            if self.copies() and read_state(self.folder).log_format != FORMAT:
                return self._copy_if_due(now)
        except (StorageError, ImportFailed) as exc:
            return [f"no backup could be made before the update of the stored format: {exc}"]
        return []

    def find_offer(self) -> CopyContents | None:
        """Returns the copy that is worth restoring, if any. Raises StorageError.

        That is the newest if there are no memories, else the newest of an earlier installation.
        """
        known = read_record(self.root).known_names
        is_empty = self.is_empty()
        for copy in self.copies():
            if is_empty or copy.path.name not in known:
                with suppress(ImportFailed):
                    return read_contents(copy)
        return None

    def is_empty(self) -> bool:
        """Returns True if no namespace has a log. Raises StorageError."""
        return next(log_paths(self.root), None) is None

    def dismiss_offers(self) -> None:
        """Stops offering the copies that exist now. Raises StorageFailed."""
        self._record([copy.path.name for copy in self.copies()])

    @contextmanager
    def deleting(self, namespace: Namespace, now: float) -> Iterator[None]:
        """Makes the next clean() remove a namespace if the block that deletes it succeeds.

        Raises StorageFailed.
        """
        self.mark_deleted(namespace, now)
        try:
            yield
        except BaseException:
            self.unmark_deleted(namespace)
            raise

    def mark_deleted(self, namespace: Namespace, now: float) -> None:
        """Records that a namespace must leave all copies. Raises StorageFailed.

        Call it before deleting the namespace, so that a killed program finishes it later.
        """
        for folder in self.folders():
            if list_copies(folder):
                state, ids = read_state(folder), self._memory_ids(namespace)
                entry = DeletedNamespace(
                    namespace=namespace, deleted_at=now, ids=tuple(sorted(ids))
                )
                write_state(folder, replace(state, deleted=(*state.deleted, entry)))

    def unmark_deleted(self, namespace: Namespace) -> None:
        """Takes back mark_deleted(). Raises StorageFailed."""
        for folder in self.folders():
            state = read_state(folder)
            left = tuple(entry for entry in state.deleted if entry.namespace != namespace)
            if left != state.deleted:
                write_state(folder, replace(state, deleted=left))

    def _purge(self, folder: Path, now: float) -> None:
        copies = list_copies(folder)
        with try_file_lock(folder / _LOCK) as is_alone:
            if is_alone and copies:
                self._problems[f"drop {folder}"] = self._remove_deleted(folder, copies)
                self._erase(folder, list_copies(folder), now)
                self._problems.pop(f"purge {folder}", None)

    def _remove_deleted(self, folder: Path, copies: Sequence[BackupCopy]) -> list[str]:
        state = read_state(folder)
        problems = [
            problem for entry in state.deleted for problem in self._remove_namespace(entry, copies)
        ]
        if state.deleted and not problems:
            write_state(folder, replace(state, deleted=()))
        return problems

    def _remove_namespace(self, entry: DeletedNamespace, copies: Sequence[BackupCopy]) -> list[str]:
        resolve, problems = read_aliases_or_none(self.root)[0].resolve, []
        deleted_in = partial(self._deleted_in, frozenset(entry.ids))
        for copy in copies:
            if copy.made_at <= entry.deleted_at and durable_files.exists(copy.path):
                try:
                    remove_namespace(copy.path, entry.namespace, resolve, deleted_in)
                except ImportFailed as exc:
                    label = entry.namespace.label
                    problems.append(f"{copy.path} may still hold {label}, delete it: {exc}")
        return problems

    def _deleted_in(self, ids: frozenset[str], namespace: Namespace) -> frozenset[str]:
        """Returns those of these ids that the namespace has not got now."""
        return ids - self._memory_ids(namespace) if ids else ids

    def _memory_ids(self, namespace: Namespace) -> frozenset[str]:
        return memory_ids_in(namespace.folder(self.root))

    def _erase(self, folder: Path, copies: Sequence[BackupCopy], now: float) -> None:
        erased, state = self._erased.read_current(), read_state(folder)
        digest = _digest(sorted(erased))
        clean = state.clean_names if digest == state.erased_digest else ()
        unclean = [copy.path for copy in copies if copy.path.name not in clean]
        mark = _digest([digest, *map(str, unclean)])
        tried, tried_at = self._last_attempts.get(folder, ("", 0.0))
        if (digest == state.erased_digest and not unclean) or (
            mark == tried and abs(now - tried_at) < _RETRY_AFTER_S
        ):
            return
        self._last_attempts[folder] = mark, now
        done = erase_ids_from_backups(unclean if erased else [], erased, now=now)
        self._problems[f"erase {folder}"] = [
            f"{problem} (in {folder})" for problem in done.problems
        ]
        if not done.problems:
            names = tuple(copy.path.name for copy in copies)
            state = replace(read_state(folder), erased_digest=digest, clean_names=names)
            write_state(folder, state)

    def _copy_if_due(self, now: float) -> list[str]:
        if self.folder is None or not self.settings.enabled or not self._is_due(now):
            return []
        self._last_renewal = now
        spaces = [space for space in list_namespaces(self.root) if _has_logs(self.root, space)]
        mark = fingerprint(self.root)
        if not spaces or self._is_up_to_date(mark):
            return []
        self._refuse_without_room()
        durable_files.make_folder(self.folder)
        with try_file_lock(self.folder / _LOCK) as is_alone:
            return self._make_copy(self.folder, spaces, mark, now) if is_alone else []

    def _is_up_to_date(self, mark: str) -> bool:
        if self.folder is None:
            return False
        state = read_state(self.folder)
        is_there = bool(state.newest_name) and durable_files.exists(self.folder / state.newest_name)
        return is_there and (state.fingerprint, state.log_format) == (mark, FORMAT)

    def _is_due(self, now: float) -> bool:
        if self.folder is None:
            return False
        known = read_record(self.root).known_names
        mine = [copy for copy in self.copies() if copy.path.name in known]
        if not mine or read_state(self.folder).log_format != FORMAT:
            return True
        return (
            abs(now - mine[0].made_at) >= self.settings.every_days * _DAY_S
        )  # clocks go back, too

    def _refuse_without_room(self) -> None:
        size = sum(_size_and_mtime(log)[0] for log in log_paths(self.root))
        above = next(
            folder
            for folder in (self.folder or self.root, *self.root.parents)
            if durable_files.is_folder(folder)
        )
        with durable_files.naming_errors(above):
            free = shutil.disk_usage(above).free
        if size + _MIN_FREE_BYTES > free:
            raise StorageFailed(f"the disk of {self.folder} is almost full")

    def _make_copy(
        self, folder: Path, spaces: Sequence[Namespace], mark: str, now: float
    ) -> list[str]:
        path = new_path(folder, now)
        known = [
            name
            for name in read_record(self.root).known_names
            if durable_files.exists(folder / name)
        ]
        self._record([*known, path.name])  # first, or every call would make another copy
        saved = write_backup(
            path, self.root, spaces, now=now, aliases=read_aliases_or_none(self.root)[0]
        )
        try:
            check_copy(path)
        except ImportFailed as exc:
            durable_files.unlink(path)
            raise StorageFailed(
                f"the new copy is damaged and was removed: {exc}; {_REPAIR_ADVICE}"
            ) from exc
        state = read_state(folder)
        # A new copy is clean: a snapshot omits the words of forgotten memories.
        clean = (*state.clean_names, path.name)
        state = replace(state, newest_name=path.name, fingerprint=mark, clean_names=clean)
        write_state(folder, replace(state, log_format=FORMAT))
        for copy in find_superseded(self.copies(), self.settings.keep):
            durable_files.unlink(copy.path)
        return [f"{path} lacks damaged lines: {_REPAIR_ADVICE}"] if saved.damaged else []

    def _record(self, known: Iterable[str]) -> None:
        folders = [*read_record(self.root).folders, *([str(self.folder)] if self.folder else [])]
        write_record(self.root, folders=folders, known=known)


def recorded_copies(root: Path) -> list[Path]:
    """Returns all copies in the folders that were ever used. Raises StorageFailed."""
    folders = [Path(folder) for folder in read_record(root).folders]
    return [copy.path for folder in folders for copy in list_copies(folder)]


def fingerprint(root: Path) -> str:
    """Returns a digest that changes whenever a backup of `root` would. Raises StorageError."""
    folders = [space.folder(root) for space in list_namespaces(root)]
    beside = [folder / name for folder in folders for name in (SWITCHES, HELD)]
    paths = [*log_paths(root), *beside, root / ALIASES]
    return _digest(f"{path.relative_to(root)}:{_size_and_mtime(path)}" for path in sorted(paths))


def _size_and_mtime(path: Path) -> tuple[int, int]:
    """Returns a file's size in bytes and last change in ns; zeros if there is no file."""
    try:
        found = path.stat()
    except OSError:
        return 0, 0
    return found.st_size, found.st_mtime_ns


def _has_logs(root: Path, space: Namespace) -> bool:
    folder = space.folder(root)
    with durable_files.naming_errors(folder):
        return bool(EventLog(folder).logs())


def _digest(parts: Iterable[str]) -> str:
    digest = hashlib.sha256()
    for part in parts:
        digest.update(part.encode("utf-8", "surrogatepass") + b"\n")
    return digest.hexdigest()
