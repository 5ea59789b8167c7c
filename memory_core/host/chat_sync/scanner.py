"""Scans the host's chat folders for edited, added, renamed and deleted chats.

A scan only compares names and stamps, a few per step; the synchronizer reads the changed files.
A file counts as deleted only after two complete scans of this same folder without it. An
unreadable, missing or exchanged folder is no evidence of deleted chats.
"""

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Protocol

from ...domain.errors import LongTermMemoryError
from ...domain.namespaces import NAMED_SCOPES, Namespace, Scope
from ...infra.lru_cache import LRUCache
from ...memory.runtime import Runtime
from ..chat.chat_file import (
    ChatFolder,
    FileStamp,
    conversation_of,
    find_renamed_folder,
    folder_identity,
    folder_of,
    list_chats,
    was_child_of,
)
from ..chat.host_protocol import Host
from .chat_registry import ChatRegistry, RegisteredChat
from .owners import ChatOwners
from .rename_detection import find_new_folder_name, owners_without_folder

DELETED_AFTER_S = 5.0  # a renamed chat is saved under its new name by then
SCAN_INTERVAL_S = 3.0  # between two full scans
_RECENT_S = 8.0  # too short to create a chat and name it
_STEP_LIMIT_S = 0.004
_MAX_VANISHED = 256
_SEARCH_VALID_S = 600.0  # between two searches for a missing folder by content
_OWNERS_VALID_S = 60.0  # owners change seldom, and mark_active() reports new ones


class ScanListener(Protocol):
    """The scanner's view of the synchronizer, which reads and saves the changed chats."""

    def request_sync(self, path: Path, namespace: Namespace) -> None:
        """Asks to save a changed chat; a busy synchronizer may ignore it for now."""
        ...

    def has_pending_in(self, folder: Path) -> bool:
        """Returns whether a chat of this folder still waits to be saved."""
        ...

    def on_file_deleted(self, chat: RegisteredChat) -> bool:
        """Handles a deleted chat; returns whether memories of it are left."""
        ...


@dataclass(slots=True)
class _FolderScan:
    """The findings of a scan in one folder."""

    folder: ChatFolder
    folder_identity: str
    is_first_scan: bool
    seen_names: set[str] = field(default_factory=set)
    new_files: list[tuple[str, FileStamp]] = field(default_factory=list)
    requested_count: int = 0
    unowned_count: int = 0


class ChatScanner:
    """Scans the chat folders step by step; not thread-safe. `now` returns epoch seconds."""

    def __init__(
        self,
        runtime: Runtime,
        listener: ScanListener,
        *,
        host: Callable[[], Host],
        registry: ChatRegistry,
        now: Callable[[], float] = time.time,
    ) -> None:
        self._host = host
        self._runtime = runtime
        self._listener = listener
        self._registry = registry
        self._now = now
        self._started_at = now()
        self.renamed_folders: dict[Namespace, str] = {}
        self._active: set[Namespace] = set()
        self._owners: ChatOwners | None = None
        self._owners_read_at = 0.0
        self._running_scan: Iterator[None] | None = None
        self._scanned_at = 0.0
        self._folders_scanned_at: dict[Path, float] = {}
        self._content_searches: dict[Path, tuple[float, tuple[Namespace, ...], str | None]] = {}
        self._vanished_files: LRUCache[Path, bool] = LRUCache(_MAX_VANISHED)

    def mark_active(self, namespace: Namespace) -> None:
        """Includes the namespace's chats in all scans from now on."""
        if namespace not in self._active:
            self._active.add(namespace)
            self._owners = None

    def forget_namespace(self, namespace: Namespace) -> None:
        """Ignores the chats of a destroyed namespace until they are continued."""
        names = ChatOwners(self._runtime.memory, self._active).folder_names_of(namespace)
        self._active.discard(namespace)
        self.renamed_folders.pop(namespace, None)
        self._owners = self._running_scan = None
        self._registry.clear_owner(namespace)
        user_data = self._host().user_data_folder()
        for name in names:
            folder = user_data and folder_of(user_data, name)
            if folder and namespace.scope in NAMED_SCOPES:
                with suppress(OSError):  # an unreadable folder has no chats to ignore
                    self._ignore_existing_chats(folder)

    def transfer(self, namespace: Namespace, new: Namespace) -> None:
        """Makes the new namespace the owner of these chats."""
        if namespace in self._active:
            self._active.discard(namespace)
            self._active.add(new)
        self.renamed_folders.pop(namespace, None)
        self._owners = self._running_scan = None
        self._registry.transfer(namespace, new)

    def existed_recently(self, path: Path) -> bool:
        """Returns whether a missing file existed shortly before it was missed."""
        existed = self._vanished_files.get(path)
        return self._was_just_scanned(path.parent) if existed is None else existed

    def _elapsed(self, since: float) -> float:
        """Returns the seconds between then and now, even if the clock was set back."""
        return abs(self._now() - since)

    def _was_just_scanned(self, folder: Path) -> bool:
        return self._elapsed(self._folders_scanned_at.get(folder, -_RECENT_S)) < _RECENT_S

    def _ignore_existing_chats(self, folder: ChatFolder) -> None:
        identity = folder_identity(folder.path)
        for name, stamp in list_chats(folder.path):
            registered = self._registry.get(folder.path, name)
            if registered is None or registered.namespace is None:
                self._registry.put(folder.path / name, stamp, identity, None)

    def scan_step(self) -> None:
        """Continues the current scan, or starts one when due, for a few milliseconds."""
        end = time.monotonic() + _STEP_LIMIT_S
        if self._running_scan is None:
            if self._elapsed(self._scanned_at) < SCAN_INTERVAL_S:
                return
            self._running_scan = self._scan()
        for _ in self._running_scan:
            if time.monotonic() >= end:
                return
        self._running_scan, self._scanned_at = None, self._now()

    def restart(self) -> None:
        """Drops the current scan, since its registry was replaced."""
        self._running_scan = None

    def scan_all(self) -> None:
        """Runs a full scan at once, in place of one that is under way."""
        self._running_scan = None
        for _ in self._scan():
            pass

    def _scan(self) -> Iterator[None]:
        user_data = self._host().user_data_folder()
        if user_data is None or self._host().is_multi_user():
            return
        owners = self._current_owners()
        for character in owners.characters():
            folder = folder_of(user_data, character)
            if folder is not None:
                yield from self._scan_folder(folder, owners)

    def _current_owners(self) -> ChatOwners:
        if self._owners is None or self._elapsed(self._owners_read_at) > _OWNERS_VALID_S:
            namespaces = self._active | self._registry.owners()
            self._owners = ChatOwners(self._runtime.memory, namespaces)
            self._owners_read_at = self._now()
        return self._owners

    def _scan_folder(self, folder: ChatFolder, owners: ChatOwners) -> Iterator[None]:
        try:
            identity = folder_identity(folder.path)
            scan = _FolderScan(
                folder, identity, not self._registry.was_folder_scanned(folder.path, identity)
            )
            for name, stamp in list_chats(folder.path):
                self._check_file(scan, name, stamp, owners)
                yield  # here, since the stamp may no longer be true after a pause
        except FileNotFoundError:
            self._handle_missing_folder(folder)
            return
        except OSError:
            return
        missing = self._find_missing(scan)
        self._mark_missing(missing)
        self._folders_scanned_at[folder.path] = self._now()
        self._register_new(scan, missing, owners)
        self._report_unowned(scan)
        self._registry.mark_folder_scanned(folder.path, identity)
        if not scan.requested_count and not self._listener.has_pending_in(folder.path):
            self._finish_missing(missing)

    def _check_file(
        self, scan: _FolderScan, name: str, stamp: FileStamp, owners: ChatOwners
    ) -> None:
        scan.seen_names.add(name)
        self._vanished_files.pop(scan.folder.path / name)
        registered = self._registry.get(scan.folder.path, name)
        if registered is None:
            scan.new_files.append((name, stamp))
            return
        if registered.stamp == stamp:
            self._registry.mark_present(registered, scan.folder_identity)
        else:  # the old stamp and missing time are needed until the chat is saved
            self._request_sync(scan, name, registered.namespace, owners)

    def _request_sync(
        self, scan: _FolderScan, name: str, owner: Namespace | None, owners: ChatOwners
    ) -> None:
        folder, conversation = scan.folder, conversation_of(name)
        owner = (
            owner
            or owners.last_writer(folder.character, conversation)
            or owners.default_owner(folder.character, self._host().user_profile())
        )
        if owner is None:
            scan.unowned_count += 1
        else:
            scan.requested_count += 1
            self._listener.request_sync(folder.path / name, owner)

    def _register_new(
        self, scan: _FolderScan, missing: Sequence[RegisteredChat], owners: ChatOwners
    ) -> None:
        """Registers the new files; ignores chats older than the extension, renamed ones too."""
        folder = scan.folder
        known = {chat.stamp: chat.namespace for chat in missing}
        for name, stamp in scan.new_files:
            is_remembered = owners.last_writer(folder.character, conversation_of(name)) is not None
            is_old = scan.is_first_scan and stamp.mtime_ns < self._started_at * 1e9
            left_alone = stamp in known and known[stamp] is None
            if not is_remembered and (is_old or left_alone):
                self._registry.put(folder.path / name, stamp, scan.folder_identity, None)
            else:
                self._request_sync(scan, name, known.get(stamp), owners)

    def _report_unowned(self, scan: _FolderScan) -> None:
        part, name = f"unowned {scan.folder.path}", scan.folder.path.name
        if not scan.unowned_count:
            self._runtime.clear(part)
            return
        self._runtime.report(
            part,
            f"{scan.unowned_count} of the chats in the folder {name} are not remembered, since "
            "their owner is unknown: choose the user profile on the page, or continue the chats "
            "there",
        )

    def _find_missing(self, scan: _FolderScan) -> list[RegisteredChat]:
        """Returns the chats that were in this same folder before, but not in this scan."""
        known = self._registry.in_folder(scan.folder.path)
        return [
            chat
            for chat in known
            if chat.name not in scan.seen_names and chat.folder_identity == scan.folder_identity
        ]

    def _mark_missing(self, missing: Sequence[RegisteredChat]) -> None:
        """Records the chats as missing; _finish_missing() decides later if they are deleted."""
        for path, chat in ((Path(chat.folder, chat.name), chat) for chat in missing):
            if self._vanished_files.get(path) is None:
                self._vanished_files.put(path, self._was_just_scanned(path.parent))
            if chat.missing_since is None:
                self._registry.mark_missing(chat, self._now())

    def _handle_missing_folder(self, folder: ChatFolder) -> None:
        """Handles a missing folder: its chats moved or were deleted.

        Only a parent with the same identity proves that the chats are gone.
        """
        known = self._registry.in_folder(folder.path)
        try:
            known = [chat for chat in known if was_child_of(folder.parent, chat.folder_identity)]
            namespaces = {chat.namespace for chat in known if chat.namespace is not None}
            namespaces = namespaces or set(owners_without_folder(self._runtime.memory, folder))
            moved = find_renamed_folder(folder, [(chat.name, chat.stamp) for chat in known])
            moved = moved or self._find_moved_folder(folder, namespaces)
        except (OSError, LongTermMemoryError):
            return
        part = f"moved {folder.path.name}"
        is_followed = moved is not None and all(
            self._is_alias_of(namespace, moved) for namespace in namespaces
        )
        if moved is None or is_followed:
            self._runtime.clear(part)
            for namespace in namespaces:
                self.renamed_folders.pop(namespace, None)
        if moved is None:
            self._finish_missing(known)
        elif is_followed:
            for chat in known:  # the scan of the new folder registers it again
                self._registry.delete(chat)
        else:
            self.renamed_folders |= dict.fromkeys(namespaces, moved)
            self._runtime.report(
                part,
                f"the chats of {folder.path.name} are in the folder {moved} now, but its "
                f"memories still have the name {folder.path.name}: rename them "
                "under Settings and health",
            )

    def _find_moved_folder(self, folder: ChatFolder, namespaces: Iterable[Namespace]) -> str | None:
        """Returns the new folder name found by content; caches the slow search for a while."""
        key = tuple(sorted(namespaces, key=lambda namespace: namespace.label))
        searched_at, searched_for, found = self._content_searches.get(folder.path, (0.0, (), None))
        if searched_for == key and self._elapsed(searched_at) < _SEARCH_VALID_S:
            return found
        memory = self._runtime.memory
        names = (find_new_folder_name(memory, namespace, folder) for namespace in key)
        found = next((name for name in names if name is not None), None)
        self._content_searches[folder.path] = self._now(), key, found
        return found

    def _is_alias_of(self, namespace: Namespace, name: str) -> bool:
        """Returns whether the name is an alias of the namespace."""
        if namespace.scope is not Scope.CHARACTER:
            return False
        resolve = self._runtime.memory.resolve
        return resolve(replace(namespace, character=name)) == resolve(namespace)

    def _finish_missing(self, missing: Sequence[RegisteredChat]) -> None:
        for chat in missing:
            if chat.namespace is None:
                self._registry.delete(chat)
            elif chat.missing_since is None:
                self._registry.mark_missing(chat, self._now())
            elif not chat.is_deleted and self._elapsed(chat.missing_since) >= DELETED_AFTER_S:
                self._handle_deleted(chat)

    def _handle_deleted(self, chat: RegisteredChat) -> None:
        if self._listener.on_file_deleted(chat):
            self._registry.mark_missing(chat, chat.missing_since or self._now(), is_deleted=True)
        else:
            self._registry.delete(chat)
