"""Saves finished exchanges, read from the host's chat files or passed by the last hook.

No hook fires after a save, on an edit of the history or when a page closes. So the synchronizer
checks the files of active chats about twice a second. It compares a changed file with the event
log once the file has stopped changing.
"""

import sqlite3
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path

from ...domain.errors import HostError, StorageFailed
from ...domain.namespaces import Namespace
from ...domain.records import Exchange
from ...infra.lru_cache import LRUCache
from ...memory.remember_switch import RememberPhase
from ...memory.runtime import Runtime
from ...prompt.window import ChatRow
from ...storage.pauses import UNNAMED
from ..chat.chat_file import FileStamp, conversation_of, file_stamp, folder_identity, read_rows
from ..chat.exchanges import date_last_exchange, to_exchanges
from ..chat.host_protocol import Host
from ..chat.turn_request import ChatRef, hashed_conversation
from .chat_registry import REGISTRY_FILE, ChatRegistry, RegisteredChat
from .deletions import ChatDeletions, DeletedChatStats
from .owners import adopt_exclusions_of_others, assign_unique_name, known_chat, stored_name
from .rename_detection import RenameDetector, RestartedChats
from .scanner import ChatScanner
from .watched_file import WatchedFile
from .withheld import WriteRules, rules_for_rows, write_shown

QUIET_S = 1.0  # the host may save a second time within this
UNANSWERED_AFTER_S = 4.0  # a message without an answer is saved as it is
MAX_DELAY_S = 3.0  # limit for chats that change all the time
MAX_GENERATING_S = 6.0  # limit for hosts that generate all the time
_LEFT_CHAT_WAIT_S = 0.2
_MAX_SYNCED_WATCHED = 64  # the scanner notices changes of other saved chats
_MAX_WATCHED = 1024
_MAX_PENDING = 16  # besides the active chats


class ChatSynchronizer:
    """Keeps the memories of chats up to date. Writes in the thread of the caller."""

    def __init__(
        self,
        runtime: Runtime,
        host: Host,
        *,
        clock: Callable[[], float] = time.monotonic,
        time_of_day: Callable[[], float] = time.time,
    ) -> None:
        self._runtime = runtime
        self._switch = runtime.remember_switch
        self.host = host
        self._clock = clock
        self._lock = threading.Lock()
        self._watched: LRUCache[Path, WatchedFile] = LRUCache(_MAX_WATCHED)
        self.last_chats: LRUCache[Namespace, ChatRef] = LRUCache(_MAX_SYNCED_WATCHED)
        self._unwatch_counts: Counter[Namespace] = Counter()
        self._registry = ChatRegistry(
            lambda: runtime.memory.root / REGISTRY_FILE,
            on_replaced=lambda: self._scanner.restart(),
            clock=clock,
        )
        self._scanner = ChatScanner(
            runtime,
            self,
            host=lambda: self.host,
            registry=self._registry,
            now=time_of_day,
        )
        self._deletions = ChatDeletions(runtime, host=lambda: self.host, registry=self._registry)
        self._restarted_chats = RestartedChats(runtime, clock=clock)
        self._rename_detector = RenameDetector(
            runtime,
            registry=self._registry,
            on_chat_deleted=self._deletions.handle_deleted_chat,
            existed_recently=self._scanner.existed_recently,
            on_renamed=self._on_renamed,
            now=time_of_day,
        )

    def watch(self, path: Path, chat: ChatRef, question: str = "") -> None:
        """Watches this chat, in which `question` is said now, and its character's other chats."""
        self._scanner.mark_active(chat.namespace)
        watch = self._watched.get(path)
        if watch is None or watch.chat.namespace != chat.namespace:
            watch = WatchedFile(chat)
            runtime, namespace = self._runtime, chat.namespace
            runtime.submit(lambda: adopt_exclusions_of_others(runtime, namespace), namespace)
        watch.chat = chat
        if question:
            watch.asked.put(question, self._switch.state.is_off)
        self._watched.put(path, watch)

    def unwatch(self, namespace: Namespace) -> None:
        """Stops watching the namespace's chats, and drops their changes that wait to be saved.

        Waits for a running save, so that no change is written after the return.
        """
        with self._lock:
            for path, watch in self._watched.items():
                if watch.chat.namespace == namespace:
                    self._watched.pop(path)
            self._unwatch_counts[namespace] += 1
            self._scanner.forget_namespace(namespace)

    @contextmanager
    def transferring(self, namespace: Namespace, new: Namespace) -> Iterator[None]:
        """Blocks all saving inside the context, then gives the chats to the new namespace."""
        with self._lock:
            yield
            for _, watch in self._watched.items():
                if watch.chat.namespace == namespace:
                    watch.chat = replace(watch.chat, namespace=new)
            self._scanner.transfer(namespace, new)

    def renamed_to(self, namespace: Namespace) -> str:
        """Returns the new name of the character's renamed chat folder, or ""."""
        return self._scanner.renamed_folders.get(namespace, "")

    def poll(self) -> None:
        """Saves watched chats whose changed files are quiet; continues the scan for others."""
        try:
            self._sync_each(self._sync_if_quiet)
        finally:
            with self._lock:
                self._registry.reopen()
                self._run_scan(self._scanner.scan_step)

    def scan_now(self) -> None:
        """Scans all chats for changes at once."""
        with self._lock:
            self._run_scan(self._scanner.scan_all)

    def _run_scan(self, scan: Callable[[], None]) -> None:
        if not self._switch.state.stores:
            return
        try:
            scan()
        except sqlite3.Error:  # the registry is derived, so a new one will do
            self._registry.close()

    def sync_all(self) -> bool:
        """Saves all changes of all chats, quiet or not; returns whether none is left."""
        for _, watch in self._watched.items():
            if watch.asked.items():  # seen in the file, but not stored, if Remember was off then
                watch.synced_stamp = None
        waiting, left = _MAX_PENDING, 0
        while waiting >= _MAX_PENDING and left < waiting:
            self.scan_now()
            waiting = self._pending_count()
            self._sync_each(self._sync_now)
            left = self._pending_count()
        return not left

    def sync_and_close(self) -> None:
        """Saves all changes, quiet or not, before the program ends."""
        self.scan_now()
        self._sync_each(self._sync_now)
        with self._lock:
            self._registry.close()

    def _sync_each(self, sync: Callable[[Path, WatchedFile, FileStamp], None]) -> None:
        """Calls `sync` for every changed file, and raises the first error at the end."""
        faults: list[Exception] = []
        with self._lock:
            watched = self._watched.items()
            for rank, (path, watch) in enumerate(watched, start=_MAX_SYNCED_WATCHED - len(watched)):
                stamp = file_stamp(path)
                if stamp is None or stamp == watch.synced_stamp:
                    if stamp is not None and rank < 0:
                        self._watched.pop(path)
                    continue
                try:
                    self._sync_one(sync, path, watch, stamp)
                except Exception as exc:  # noqa: BLE001 - raised below
                    faults.append(exc)
        if faults:
            raise faults[0]

    def _sync_one(
        self,
        sync: Callable[[Path, WatchedFile, FileStamp], None],
        path: Path,
        watch: WatchedFile,
        stamp: FileStamp,
    ) -> None:
        if self._switch.state.phase is RememberPhase.UNKNOWN:
            return  # the change waits until the settings can be read
        try:
            self._register(path, watch, stamp)
            sync(path, watch, stamp)
        except sqlite3.Error:  # the registry is derived, so a new one will do
            self._registry.close()
            self._register(path, watch, stamp)
            sync(path, watch, stamp)

    def _register(self, path: Path, watch: WatchedFile, stamp: FileStamp) -> None:
        """Registers the chat, so that after a crash it does not seem older than the extension."""
        if watch.is_registered:
            return
        is_complete = adopt_exclusions_of_others(self._runtime, watch.chat.namespace)
        if self._registry.get(path.parent, path.name) is None:
            self._update_registry(path, watch.chat.namespace, FileStamp(0, 0, stamp.inode))
        watch.is_registered = is_complete

    def _sync_if_quiet(self, path: Path, watch: WatchedFile, stamp: FileStamp) -> None:
        quiet, restless = watch.observe(stamp, self._clock())
        if not self._is_due(quiet, restless):
            return
        watch.changing_since = self._clock()
        if self._sync_file(path, watch, quiet):
            watch.synced_stamp, watch.changing_since = stamp, None
            self._update_registry(path, watch.chat.namespace, stamp)

    def _sync_now(self, path: Path, watch: WatchedFile, stamp: FileStamp) -> None:
        if self._sync_file(path, watch, UNANSWERED_AFTER_S):
            watch.synced_stamp = stamp
            self._update_registry(path, watch.chat.namespace, stamp)

    def _is_due(self, unchanged_s: float, changing_s: float) -> bool:
        """Returns whether to save now: the file is quiet, or has been changing for too long."""
        waited = max(unchanged_s, changing_s)
        at_rest = unchanged_s >= QUIET_S or changing_s >= MAX_DELAY_S
        return waited >= MAX_GENERATING_S or (at_rest and not self.host.is_generating())

    def _sync_file(self, path: Path, watch: WatchedFile, unchanged_s: float) -> bool:
        """Saves the file's exchanges; returns whether they are complete."""
        try:
            rows = read_rows(path)
        except (HostError, StorageFailed) as exc:
            if unchanged_s >= MAX_GENERATING_S and isinstance(exc, StorageFailed):
                raise
            return unchanged_s >= MAX_GENERATING_S  # the host is writing the file, or it is no chat
        chat = self._with_stored_name(path, watch.chat)
        exchanges = to_exchanges(rows, chat.speakers)
        self._detect_rename(path, chat, exchanges)
        awaits_answer = (
            bool(exchanges) and not exchanges[-1].assistant and unchanged_s < UNANSWERED_AFTER_S
        )
        rules = rules_for_rows(self._switch, rows, chat.speakers, watch.asked)
        shown = exchanges[:-1] if awaits_answer else exchanges
        write_shown(self._runtime, chat, shown, rules, whole=not awaits_answer)
        if rules.stores and not (awaits_answer or self.host.is_generating()):
            watch.drop_asked(rows)
        return not awaits_answer

    def _with_stored_name(self, path: Path, chat: ChatRef) -> ChatRef:
        """Returns the chat under its stored name, unique among the character's aliases."""
        memory, pauses = self._runtime.memory, self._runtime.pauses
        if chat.conversation != conversation_of(path.name):
            return chat
        if self._switch.state.stores:
            assign_unique_name(memory, pauses, self._registry, chat.namespace, path)
        name = stored_name(memory, chat.namespace, path.parent, path.name)
        return replace(chat, conversation=name)

    def _detect_rename(self, path: Path, chat: ChatRef, exchanges: Sequence[Exchange]) -> None:
        """Moves memories if the chat was renamed, or replaced a deleted one."""
        stamp = file_stamp(path)
        if stamp is not None and self._switch.state.stores:
            namespace = self._runtime.memory.resolve(chat.namespace)
            with suppress(OSError):  # the folder may be gone by now
                self._rename_detector.follow_file(path, stamp, namespace, exchanges)

    def _on_renamed(self, namespace: Namespace, old_name: str, new_name: str) -> None:
        last = self.last_chats.get(namespace)
        if last is not None and last.conversation == old_name:
            self.last_chats.put(namespace, replace(last, conversation=new_name))

    def sync_chats(self, namespace: Namespace, conversation: str | None = None) -> None:
        """Saves the files of a namespace's watched chats, or of one of them, quiet or not."""
        with self._lock:
            for path, watch in self._watched_files(namespace, conversation):
                self._sync_file(path, watch, UNANSWERED_AFTER_S)

    def sync_left_chat(self, namespace: Namespace, conversation: str) -> None:
        """Saves a chat that was just left for another, whose first message may refer to it.

        Does nothing while another thread saves: a prompt must not wait, and poll() follows soon.
        """
        if not self._unsynced_files(namespace, conversation):
            return  # without the lock, which the writer often holds
        if self._lock.acquire(timeout=_LEFT_CHAT_WAIT_S):
            try:
                for path, watch, stamp in self._unsynced_files(namespace, conversation):
                    self._sync_one(self._sync_now, path, watch, stamp)
            finally:
                self._lock.release()

    def _unsynced_files(
        self, namespace: Namespace, conversation: str
    ) -> list[tuple[Path, WatchedFile, FileStamp]]:
        watched = self._watched_files(namespace, conversation)
        found = ((path, watch, file_stamp(path)) for path, watch in watched)
        return [
            (path, watch, stamp)
            for path, watch, stamp in found
            if stamp is not None and stamp != watch.synced_stamp
        ]

    def _watched_files(
        self, namespace: Namespace, conversation: str | None
    ) -> list[tuple[Path, WatchedFile]]:
        return [
            (path, watch)
            for path, watch in self._watched.items()
            if watch.chat.namespace == namespace and conversation in (None, watch.chat.conversation)
        ]

    def request_sync(self, path: Path, namespace: Namespace) -> None:
        """Watches a chat that changed without a message, unless too many chats wait."""
        watch, stamp = self._watched.get(path), file_stamp(path)
        if stamp is None or (watch is None and self._pending_count() >= _MAX_PENDING):
            return
        if watch is None:
            self._watched.put(path, WatchedFile(known_chat(self._runtime.memory, namespace, path)))
        elif watch.synced_stamp == stamp:
            self._update_registry(path, watch.chat.namespace, stamp)

    def has_pending_in(self, folder: Path) -> bool:
        """Returns whether a chat of this folder still waits to be saved."""
        return any(
            path.parent == folder and watch.needs_sync(path)
            for path, watch in self._watched.items()
        )

    def _pending_count(self) -> int:
        return sum(watch.needs_sync(path) for path, watch in self._watched.items())

    def on_file_deleted(self, chat: RegisteredChat) -> bool:
        """Stops watching a deleted chat; returns whether memories are left that only it showed."""
        self._watched.pop(Path(chat.folder, chat.name))
        return self._deletions.handle_deleted_chat(chat)

    def deleted_chat_stats(self, namespace: Namespace) -> DeletedChatStats:
        """Returns the number of deleted chats with memories, and of those memories."""
        with self._lock:
            return self._deletions.stats(namespace)

    def forget_deleted(self, namespace: Namespace) -> int:
        """Forgets the memories of deleted chats; returns their number."""
        with self._lock:
            return self._deletions.forget_all(namespace)

    def _update_registry(self, path: Path, namespace: Namespace, stamp: FileStamp) -> None:
        if self._switch.state.stores:
            with suppress(OSError):  # the folder may be gone by now
                folder = folder_identity(path.parent)
                self._registry.put(path, stamp, folder, namespace)

    def sync_rows(self, chat: ChatRef, rows: Sequence[ChatRow]) -> None:
        """Saves the rows of a chat as its hook got them, whether or not it has a file."""
        shown = date_last_exchange(to_exchanges(rows, chat.speakers), time.time())
        if shown:
            rules = rules_for_rows(self._switch, rows, chat.speakers)
            chat = self._named_chat(chat, shown[0], rules)
            write_shown(self._runtime, chat, shown, rules, whole=False)

    def make_sync_callback(
        self, chat: ChatRef, rules: WriteRules
    ) -> Callable[[Sequence[Exchange]], None]:
        """Returns a function that saves exchanges, unless unwatch() is called before it."""
        unwatch_count = self._unwatch_counts[chat.namespace]

        def sync(exchanges: Sequence[Exchange]) -> None:
            with self._lock:
                if exchanges and self._unwatch_counts[chat.namespace] == unwatch_count:
                    named = self._named_chat(chat, exchanges[0], rules)
                    write_shown(self._runtime, named, exchanges, rules, whole=False)

        return sync

    def _named_chat(self, chat: ChatRef, first: Exchange, rules: WriteRules) -> ChatRef:
        """Returns the chat under its name, by its first exchange.

        Forgets the chat that it restarts if the host gave neither of them a name.
        """
        name = chat.conversation or self.conversation_of(chat.namespace, first)
        if rules.stores and name.startswith(UNNAMED):
            namespace = self._runtime.memory.resolve(chat.namespace)
            self._restarted_chats.observe(namespace, name, first)
        return replace(chat, conversation=name)

    def conversation_of(self, namespace: Namespace, first: Exchange) -> str:
        """Returns the conversation that began with this exchange, else a hash as a new name."""
        known = self._runtime.memory.conversation_of(namespace, first)
        return known or hashed_conversation(namespace, first)
