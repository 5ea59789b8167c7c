"""Puts whole namespace folders in place of others: after a crash each is the old one or the new.

They are filled in `.restoring-…/new/` beside the users' folders. Once `commit.json` is there, all
of them take their places; whoever uses one of them next, or opens the storage, ends what was
interrupted.
"""

import json
import os
import secrets
import shutil
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path

from filelock import FileLock, Timeout

from ..domain.errors import (
    LongTermMemoryError,
    StorageCorrupt,
    StorageError,
    StorageFailed,
    StorageLocked,
)
from ..domain.namespaces import Namespace
from ..infra import durable_files
from .aliases import ALIASES, Aliases, write_aliases
from .exchange_marks import (
    COMMIT,
    NEW_FOLDER,
    OLD_FOLDER,
    PREFIX,
    SINCE_FOLDER,
    archived_name,
    refuse_during_swap,
    staging_folder_of,
    staging_folders,
)
from .folder_exchange import FolderSwap, LogSizes, move
from .log.event_log import LOCK, EventLog

_LOCK = ".restoring.lock"
_RAW = "raw"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Commit:
    """What commit.json tells: name → logs that the place had and those of the new folder. Once the
    exchange has failed and that was told, it only goes `back`.
    """

    sizes_seen: Mapping[str, LogSizes]
    sizes_made: Mapping[str, LogSizes]
    carried_parts: Sequence[str]
    is_reverting: bool = False

    def write(self, folder: Path) -> None:
        told = {
            "namespaces": self.sizes_seen,
            "made": self.sizes_made,
            "keep": self.carried_parts,
            "back": self.is_reverting,
        }
        durable_files.replace(folder / COMMIT, json.dumps(told).encode())

    @classmethod
    def read(cls, folder: Path) -> "_Commit":
        path = folder / COMMIT
        try:
            with durable_files.naming_errors(path):
                told = json.loads(path.read_bytes())
            return cls(
                sizes_seen=told["namespaces"],
                sizes_made=told.get("made", {}),
                carried_parts=told["keep"],
                is_reverting=told.get("back", False),
            )
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as exc:
            raise StorageCorrupt(f"{path} cannot be read: {exc!r}") from exc

    def folder_swaps(self, root: Path, folder: Path) -> list[FolderSwap]:
        return [
            FolderSwap(
                root=root,
                staging=folder,
                name=name,
                sizes_seen=logs,
                sizes_made=self.sizes_made.get(name),
                carried_parts=self.carried_parts,
            )
            for name, logs in self.sizes_seen.items()
        ]


class SwapTransaction:
    """Without put_in_place() the storage stays as it was."""

    def __init__(self, root: Path, folder: Path) -> None:
        self._root = root
        self._folder = folder

    def new_folder(self, namespace: Namespace) -> Path:
        """Where to put what shall become this namespace's folder."""
        return self._folder / NEW_FOLDER / namespace.relative_folder

    def scratch_folder(self, namespace: Namespace) -> Path:
        """A place for what is needed on the way."""
        return self._folder / _RAW / namespace.relative_folder

    def set_aliases(self, aliases: Aliases) -> None:
        """Names mean this once the folders are in place: all of it happens, or nothing."""
        write_aliases(self._folder / NEW_FOLDER, aliases)

    def commit(self, seen: Mapping[Namespace, Mapping[str, int]], keep: Sequence[str]) -> None:
        """Exchanges these namespaces' folders. `seen`: the logs that each has now, with sizes.

        `keep` are files and folders that move along from the old folder to the new one. Raises
        StorageLocked while another program writes one of them, StorageFailed. After an error all
        is as before, or, where that cannot be reached now, it is ended before any of them is used.
        """
        names: dict[str, LogSizes] = {it.relative_folder: dict(logs) for it, logs in seen.items()}
        made = {name: EventLog(self._folder / NEW_FOLDER / name).logs() for name in names}
        if durable_files.exists(self._folder / NEW_FOLDER / ALIASES):
            names[ALIASES] = {}
        commit = _Commit(sizes_seen=names, sizes_made=made, carried_parts=list(keep))
        with _ensure_targets(self._root, made), locked(self._root, names):
            swaps = commit.folder_swaps(self._root, self._folder)
            for swap in swaps:
                if swap.is_outdated:
                    told = "was written to meanwhile: nothing was restored"
                    raise StorageFailed(f"{swap.name} {told}")
            try:
                commit.write(self._folder)
                _apply_all(swaps)
            except LongTermMemoryError as exc:
                with suppress(StorageError):  # else whoever uses them next goes on forward
                    replace(commit, is_reverting=True).write(self._folder)
                _roll_back(self._folder, swaps, exc)
                raise
            with suppress(StorageError):  # who comes next finds nothing left to exchange
                _clean_up(self._folder, swaps)

    def delete_folder(self, namespace: Namespace) -> None:
        """Deletes its folder, which is gone from its place at once: what a killed program leaves of
        it is deleted by whoever opens the storage next. Raises StorageFailed.
        """
        name = namespace.relative_folder
        place, old = self._root / name, self._folder / OLD_FOLDER / name
        with durable_files.naming_errors(place):
            is_link = place.is_symlink()
        if not is_link:
            with suppress(StorageFailed):  # it lies on another disk, and goes where it is
                move(place, old)
        durable_files.remove_durably(old if durable_files.exists(old) else place)


def _roll_back(folder: Path, swaps: Sequence[FolderSwap], cause: LongTermMemoryError) -> None:
    """All is as before then. Raises StorageFailed where that could not be reached."""
    try:
        _revert_all(swaps)
        _clean_up(folder, swaps)
    except StorageError as exc:
        told = "it is ended before any of these memories is used again"
        raise StorageFailed(f"{cause}; and {exc}: {told}") from cause


@contextmanager
def begin_swap(root: Path) -> Iterator[SwapTransaction]:
    """Raises StorageLocked while another program restores into the same storage."""
    durable_files.make_folder(root)
    with _swap_lock(root):
        told = _finish_all_swaps(root)
        if told:
            raise StorageFailed("; ".join(told))
        folder = root / f"{PREFIX}{secrets.token_hex(4)}"
        durable_files.make_folder(folder)
        try:
            yield SwapTransaction(root, folder)
        finally:
            with suppress(OSError, StorageError):  # who comes next tries again
                if not durable_files.exists(
                    folder / COMMIT
                ):  # else old memories may lie in it alone
                    _discard(folder)


def finish_interrupted_swaps(root: Path) -> list[str]:
    """Ends what a killed restore left behind; returns what could not be ended, in plain words."""
    try:
        if not staging_folders(root):
            return []
        with _swap_lock(root):
            return _finish_all_swaps(root)
    except StorageLocked:
        return []  # it is no interrupted one
    except LongTermMemoryError as exc:
        return [str(exc)]


def finish_swap_of(root: Path, namespace: Namespace) -> None:
    """Ends an interrupted exchange of this namespace's folder. Raises StorageLocked where it cannot
    be ended now, StorageFailed.
    """
    folder = namespace.folder(root)
    if staging_folder_of(folder):
        finish_interrupted_swaps(root)
        refuse_during_swap(folder)


def _finish_all_swaps(root: Path) -> list[str]:
    told: list[str] = []
    for folder in staging_folders(root):
        try:
            told += _finish_swap(root, folder)
        except (LongTermMemoryError, OSError) as exc:
            told.append(f"an interrupted restore in {folder} could not be ended: {exc}")
    return told


def _finish_swap(root: Path, folder: Path) -> list[str]:
    told: list[str] = []
    if durable_files.exists(folder / COMMIT):
        try:
            commit = _Commit.read(folder)
        except StorageCorrupt as exc:
            told = [str(exc), *_recover_without_commit(root, folder)]
            commit = _Commit(sizes_seen={}, sizes_made={}, carried_parts=())
        with locked(root, commit.sizes_seen):
            swaps = commit.folder_swaps(root, folder)
            told += _apply_or_revert(swaps, back=commit.is_reverting)
            told += _clean_up(folder, swaps)
    with durable_files.naming_errors(folder):
        _discard(folder)
    return told


def _apply_or_revert(swaps: Sequence[FolderSwap], *, back: bool) -> list[str]:
    """Forward, but for what was written to since and not exchanged yet."""
    if back:
        _revert_all(swaps)
        return []
    outdated = [it for it in swaps if it.is_outdated]
    if outdated and any(it.name == ALIASES for it in swaps):
        _revert_all(swaps)  # else what moved from one to the other would be lost
    else:
        _apply_all([it for it in swaps if it not in outdated])
    given_up = "was interrupted and given up: it was written to since"
    return [f"restoring {it.name} {given_up}" for it in outdated]


def _apply_all(swaps: Sequence[FolderSwap]) -> None:
    for swap in swaps:
        swap.apply()


def _revert_all(swaps: Sequence[FolderSwap]) -> None:
    for swap in reversed(swaps):
        swap.revert()


def _clean_up(folder: Path, swaps: Sequence[FolderSwap]) -> list[str]:
    """From here on nothing but the places counts. Returns what was set aside."""
    for swap in swaps:
        swap.refuse_missing_target()
    aside = [path for swap in swaps for path in swap.archive_unmerged()]
    with durable_files.naming_errors(folder / COMMIT):
        (folder / COMMIT).unlink(missing_ok=True)
    durable_files.sync_folder(folder)
    return [f"what was written meanwhile and cannot be read was set aside as {it}" for it in aside]


def _recover_without_commit(root: Path, folder: Path) -> list[str]:
    """Where nobody can tell any more which way it went: what lay in a place goes back there or, if
    the place is taken, beside it.
    """
    told: list[str] = []
    with durable_files.naming_errors(folder):
        parts = [folder / OLD_FOLDER, *sorted(folder.glob(f"{SINCE_FOLDER}-*"))]
        found = [(part, path) for part in parts for path in (*part.glob("*"), *part.glob("*/*"))]
    for part, path in found:
        place = root / path.relative_to(part)
        if path.name == ALIASES and not durable_files.exists(place):
            move(path, place)
        elif any(EventLog(path).logs().values()):
            target = archived_name(place) if durable_files.exists(place) else place
            move(path, target)
            told.append(f"what lay in {place} lies in {target} now")
    return told


def _discard(folder: Path) -> None:
    """With what was replaced, also where only a link to it lay in its place."""
    for name in ("*/*", "*/*/*"):
        for old in folder.glob(name):
            if old.is_symlink():
                durable_files.remove_with_target(old)
    shutil.rmtree(folder)


@contextmanager
def _ensure_targets(root: Path, names: Collection[str]) -> Iterator[None]:
    """These folders exist meanwhile, so that nobody can begin one that is not held."""
    missing = [root / name for name in names if not durable_files.exists(root / name)]
    for place in missing:
        durable_files.make_folder(place)
    try:
        yield
    finally:
        for place in missing:
            _remove_if_empty(place)


def _remove_if_empty(place: Path) -> None:
    with suppress(OSError):
        if os.listdir(place) in ([], [LOCK]):
            (place / LOCK).unlink(missing_ok=True)
            place.rmdir()


@contextmanager
def locked(root: Path, names: Collection[str]) -> Iterator[None]:
    """No other program writes these meanwhile. Raises StorageLocked."""
    with ExitStack() as stack:
        for name in names:
            if durable_files.is_folder(root / name):
                transcript = EventLog(root / name)
                stack.callback(transcript.close)
                transcript.acquire_lock()
        if os.name == "nt":  # there no folder can be moved while a file in it is open
            stack.pop_all().close()
        yield


@contextmanager
def _swap_lock(root: Path) -> Iterator[None]:
    lock = FileLock(root / _LOCK, thread_local=False, mode=0o600, fallback_to_soft=False)
    try:
        lock.acquire(timeout=0)
    except Timeout as exc:
        raise StorageLocked(f"another program restores into {root}: wait until it ends") from exc
    except OSError as exc:
        raise StorageFailed(f"{root / _LOCK}: {exc.strerror or exc}") from exc
    try:
        yield
    finally:
        lock.release()
