"""Swaps whole namespace folders for others: after a crash each is the old one or the new one.

The new folders are filled in `.restoring-…/new/` beside the users' folders. Once `commit.json`
exists, all of them move to their targets. If that is interrupted, the next use of one of them, or
the next start, completes it.
"""

import json
import os
import secrets
import shutil
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path

from ..domain.errors import (
    LongTermMemoryError,
    StorageCorrupt,
    StorageError,
    StorageFailed,
    StorageLocked,
)
from ..domain.namespaces import Namespace
from ..infra import durable_files
from ..infra.file_locks import try_file_lock
from ..infra.json_codec import UNUSABLE_JSON
from .aliases import ALIASES, Aliases, write_aliases
from .log.event_log import LOCK, EventLog
from .swap_markers import (
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
from .swap_steps import FolderSwap, LogSizes, move

_LOCK = ".restoring.lock"
_RAW = "raw"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Commit:
    """Content of commit.json: name → sizes of the logs of the target and of the new folder.

    Once the swap has failed and the caller has seen the error, it can only be reverted.
    """

    sizes_seen: Mapping[str, LogSizes]
    sizes_made: Mapping[str, LogSizes]
    carried_parts: Sequence[str]
    is_reverting: bool = False

    def write(self, folder: Path) -> None:
        fields = {
            "namespaces": self.sizes_seen,
            "made": self.sizes_made,
            "keep": self.carried_parts,
            "back": self.is_reverting,
        }
        durable_files.replace(folder / COMMIT, json.dumps(fields).encode())

    @classmethod
    def read(cls, folder: Path) -> "_Commit":
        path = folder / COMMIT
        try:
            with durable_files.naming_errors(path):
                fields = json.loads(path.read_bytes())
            return cls(
                sizes_seen=fields["namespaces"],
                sizes_made=fields.get("made", {}),
                carried_parts=fields["keep"],
                is_reverting=fields.get("back", False),
            )
        except UNUSABLE_JSON as exc:
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
    """Implements NamespaceSwap for the folders below `root`."""

    def __init__(self, root: Path, folder: Path) -> None:
        self._root = root
        self.folder = folder

    def current_root(self, namespace: Namespace) -> Path:
        return self._root

    def sizes(self, namespace: Namespace) -> Mapping[str, int]:
        return EventLog(namespace.folder(self._root)).logs()

    def new_folder(self, namespace: Namespace) -> Path:
        return self.folder / NEW_FOLDER / namespace.relative_folder

    def scratch_folder(self, namespace: Namespace) -> Path:
        return self.folder / _RAW / namespace.relative_folder

    def set_aliases(self, aliases: Aliases) -> None:
        write_aliases(self.folder / NEW_FOLDER, aliases)

    def commit(self, seen: Mapping[Namespace, Mapping[str, int]], keep: Sequence[str]) -> None:
        """Swaps these namespaces' folders; `keep` names files and folders inside them.

        After an error all folders are as before. If that is impossible now, the revert ends before
        their next use.
        """
        names: dict[str, LogSizes] = {
            namespace.relative_folder: dict(logs) for namespace, logs in seen.items()
        }
        made = {name: EventLog(self.folder / NEW_FOLDER / name).logs() for name in names}
        if durable_files.exists(self.folder / NEW_FOLDER / ALIASES):
            names[ALIASES] = {}
        commit = _Commit(sizes_seen=names, sizes_made=made, carried_parts=list(keep))
        with _ensure_targets(self._root, made), locked(self._root, names):
            swaps = commit.folder_swaps(self._root, self.folder)
            for swap in swaps:
                if swap.is_outdated:
                    reason = "was written to meanwhile: nothing was restored"
                    raise StorageFailed(f"{swap.name} {reason}")
            try:
                commit.write(self.folder)
                _apply_all(swaps)
            except LongTermMemoryError as exc:
                with suppress(StorageError):  # on failure the next use completes the swap
                    replace(commit, is_reverting=True).write(self.folder)
                _roll_back(self.folder, swaps, exc)
                raise
            with suppress(StorageError):  # the next use cleans up, with nothing left to swap
                _clean_up(self.folder, swaps)

    def delete(self, namespace: Namespace) -> None:
        """Deletes the namespace's folder, which first moves out of its place in one step.

        If the program is killed, the next start deletes the rest. Raises StorageFailed.
        """
        name = namespace.relative_folder
        target, old = self._root / name, self.folder / OLD_FOLDER / name
        with durable_files.naming_errors(target):
            is_link = target.is_symlink()
        if not is_link:
            with suppress(StorageFailed):  # on another disk it is deleted in its place
                move(target, old)
        durable_files.remove_durably(old if durable_files.exists(old) else target)

    def delete_if_empty(self, namespace: Namespace) -> None:
        folder = namespace.folder(self._root)
        with locked(self._root, [namespace.relative_folder]):
            if not any(self.sizes(namespace).values()):
                durable_files.remove_durably(folder)


def _roll_back(folder: Path, swaps: Sequence[FolderSwap], cause: LongTermMemoryError) -> None:
    """Reverts all swaps and cleans up. Raises StorageFailed if that is impossible."""
    try:
        _revert_all(swaps)
        _clean_up(folder, swaps)
    except StorageError as exc:
        advice = "this is repaired before any of these memories is used again"
        raise StorageFailed(f"{cause}; and {exc}: {advice}") from cause


@contextmanager
def begin_swap(root: Path) -> Iterator[SwapTransaction]:
    """Yields a transaction. Raises StorageLocked while another program swaps in this storage, and
    StorageFailed.
    """
    durable_files.make_folder(root)
    with _swap_lock(root):
        faults = _finish_all_swaps(root)
        if faults:
            raise StorageFailed("; ".join(faults))
        folder = root / f"{PREFIX}{secrets.token_hex(4)}"
        durable_files.make_folder(folder)
        try:
            yield SwapTransaction(root, folder)
        finally:
            with suppress(OSError, StorageError):  # the next swap tries again
                # A folder with a commit file may hold the only copy of old memories.
                if not durable_files.exists(folder / COMMIT):
                    _discard(folder)


def finish_interrupted_swaps(root: Path) -> list[str]:
    """Completes the swaps that a killed program left; returns messages on those that fail."""
    try:
        if not staging_folders(root):
            return []
        with _swap_lock(root):
            return _finish_all_swaps(root)
    except StorageLocked:
        return []  # the other program's swap is not interrupted
    except LongTermMemoryError as exc:
        return [str(exc)]


def finish_swap_of(root: Path, namespace: Namespace) -> None:
    """Completes an interrupted swap of this namespace's folder.

    Raises StorageLocked if that is impossible now, StorageFailed.
    """
    folder = namespace.folder(root)
    if staging_folder_of(folder):
        finish_interrupted_swaps(root)
        refuse_during_swap(folder)


def _finish_all_swaps(root: Path) -> list[str]:
    messages: list[str] = []
    for folder in staging_folders(root):
        try:
            messages += _finish_swap(root, folder)
        except (LongTermMemoryError, OSError) as exc:
            messages.append(f"an interrupted restore in {folder} could not be completed: {exc}")
    return messages


def _finish_swap(root: Path, folder: Path) -> list[str]:
    messages: list[str] = []
    if durable_files.exists(folder / COMMIT):
        try:
            commit = _Commit.read(folder)
        except StorageCorrupt as exc:
            messages = [str(exc), *_recover_without_commit(root, folder)]
            commit = _Commit(sizes_seen={}, sizes_made={}, carried_parts=())
        with locked(root, commit.sizes_seen):
            swaps = commit.folder_swaps(root, folder)
            messages += _apply_or_revert(swaps, back=commit.is_reverting)
            messages += _clean_up(folder, swaps)
    with durable_files.naming_errors(folder):
        _discard(folder)
    return messages


def _apply_or_revert(swaps: Sequence[FolderSwap], *, back: bool) -> list[str]:
    """Applies all swaps except the outdated ones, or reverts all; returns messages."""
    if back:
        _revert_all(swaps)
        return []
    outdated = [swap for swap in swaps if swap.is_outdated]
    if outdated and any(swap.name == ALIASES for swap in swaps):
        _revert_all(swaps)  # a merge moves memories between folders: all of them or none
    else:
        _apply_all([swap for swap in swaps if swap not in outdated])
    given_up = "was interrupted and given up: it was written to since"
    return [f"restoring {swap.name} {given_up}" for swap in outdated]


def _apply_all(swaps: Sequence[FolderSwap]) -> None:
    for swap in swaps:
        swap.apply()


def _revert_all(swaps: Sequence[FolderSwap]) -> None:
    for swap in reversed(swaps):
        swap.revert()


def _clean_up(folder: Path, swaps: Sequence[FolderSwap]) -> list[str]:
    """Archives unmerged writes and deletes the commit file; returns messages on the archives."""
    for swap in swaps:
        swap.refuse_missing_target()
    archived = [path for swap in swaps for path in swap.archive_unmerged()]
    with durable_files.naming_errors(folder / COMMIT):
        (folder / COMMIT).unlink(missing_ok=True)
    durable_files.sync_folder(folder)
    return [
        f"{path} holds memories that were written meanwhile but not merged" for path in archived
    ]


def _recover_without_commit(root: Path, folder: Path) -> list[str]:
    """Moves old folders back to their targets, or beside them where a target exists.

    For a damaged commit file, which no longer shows the direction. Returns messages.
    """
    messages: list[str] = []
    with durable_files.naming_errors(folder):
        parts = [folder / OLD_FOLDER, *sorted(folder.glob(f"{SINCE_FOLDER}-*"))]
        found = [(part, path) for part in parts for path in (*part.glob("*"), *part.glob("*/*"))]
    for part, path in found:
        original = root / path.relative_to(part)
        if path.name == ALIASES and not durable_files.exists(original):
            move(path, original)
        elif any(EventLog(path).logs().values()):
            target = archived_name(original) if durable_files.exists(original) else original
            move(path, target)
            messages.append(f"the memories of {original} lie in {target} now")
    return messages


def _discard(folder: Path) -> None:
    """Deletes the staging folder with the replaced folders, also those that are links."""
    for name in ("*/*", "*/*/*"):
        for old in folder.glob(name):
            if old.is_symlink():
                durable_files.remove_with_target(old)
    shutil.rmtree(folder)


@contextmanager
def _ensure_targets(root: Path, names: Collection[str]) -> Iterator[None]:
    """Makes missing folders inside the block, so that locked() can lock them, too."""
    missing = [root / name for name in names if not durable_files.exists(root / name)]
    for folder in missing:
        durable_files.make_folder(folder)
    try:
        yield
    finally:
        for folder in missing:
            _remove_if_empty(folder)


def _remove_if_empty(folder: Path) -> None:
    with suppress(OSError):
        if os.listdir(folder) in ([], [LOCK]):
            (folder / LOCK).unlink(missing_ok=True)
            folder.rmdir()


@contextmanager
def locked(root: Path, names: Collection[str]) -> Iterator[None]:
    """Keeps other programs from writing these folders. Raises StorageLocked, StorageFailed."""
    with ExitStack() as stack:
        for name in names:
            if durable_files.is_folder(root / name):
                log = EventLog(root / name)
                stack.callback(log.close)
                log.acquire_lock()
        if os.name == "nt":  # Windows moves no folder while a file in it is open
            stack.pop_all().close()
        yield


@contextmanager
def _swap_lock(root: Path) -> Iterator[None]:
    with try_file_lock(root / _LOCK) as is_ours:
        if not is_ours:
            raise StorageLocked(f"another program restores into {root}: wait until it ends")
        yield
