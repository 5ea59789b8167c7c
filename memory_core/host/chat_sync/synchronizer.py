"""When an exchange is finished: the host's chat file says so, or for other chats the last hook.

No hook fires after a save, nor on edits of the page's history, nor when a page is closed. So the
files of the chats in use are looked at about twice a second and, when one has changed and is
quiet, held against the transcript.
"""

import sqlite3
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from pathlib import Path

from ...domain.errors import HostError, StorageFailed
from ...domain.namespaces import Namespace
from ...domain.records import Exchange
from ...infra.lru_cache import LRUCache
from ...memory.console import log_write
from ...memory.runtime import Runtime
from ...prompt.window import ChatRow
from ..chat.chat_file import FileStamp, file_stamp, read_rows
from ..chat.exchanges import Speakers, to_exchanges
from ..chat.host_protocol import Host
from ..chat.identity import hashed_conversation
from ..chat.paths import conversation_of, folder_identity
from .chat_registry import REGISTRY_FILE, OpenChatRegistry, RegisteredChat
from .deletions import ChatDeletions, DeletedChatStats
from .name_conflicts import assign_unique_name, stored_name
from .owners import known_speakers, with_known_names
from .rename_detection import RenameDetector
from .restarted_chats import RestartedChats
from .scanner import ChatScanner
from .unsaved_chat import exchanges_with_answer
from .withheld import writable_exchanges

QUIET_S = 1.0  # the host writes the file in one go; a second save follows within this
UNANSWERED_AFTER_S = 4.0  # a message still without an answer is kept as it stands
MAX_DELAY_S = 3.0  # however fast messages follow each other, what is finished is written by then
MAX_GENERATING_S = 6.0  # another chat may be generating all the time
_MAX_SYNCED_WATCHED = 64  # of those that are settled; the scan sees when others change
_MAX_WATCHED = 1024
_MAX_PENDING = 16  # beside those in use


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatRef:
    """A conversation as the settling sees it."""

    namespace: Namespace
    conversation: str
    speakers: Speakers


@dataclass(slots=True)
class _WatchedFile:
    chat: ChatRef
    synced_stamp: FileStamp | None = None
    last_stamp: FileStamp | None = None
    unchanged_since: float = 0.0
    is_registered: bool = False
    changing_since: float | None = None


def _needs_sync(path: Path, watch: _WatchedFile) -> bool:
    now = file_stamp(path)
    return now is not None and now != watch.synced_stamp


class ChatSynchronizer:
    """Looks after chats; tick() and settle_rows() write, in whatever thread calls them."""

    def __init__(
        self,
        runtime: Runtime,
        host: Host,
        *,
        clock: Callable[[], float] = time.monotonic,
        time_of_day: Callable[[], float] = time.time,
    ) -> None:
        self._runtime = runtime
        self.host = host
        self._clock = clock
        self._lock = threading.Lock()
        self._watched: LRUCache[Path, _WatchedFile] = LRUCache(_MAX_WATCHED)
        self.last_chats: LRUCache[Namespace, ChatRef] = LRUCache(
            _MAX_SYNCED_WATCHED
        )  # talked in last
        self._unwatch_counts: Counter[Namespace] = Counter()
        self._open_registry = OpenChatRegistry(
            lambda: runtime.memory.root / REGISTRY_FILE,
            on_replaced=lambda: self._scanner.restart(),
            clock=clock,
        )
        self._scanner = ChatScanner(
            runtime,
            self,
            host=lambda: self.host,
            registry=self._open_registry.current,
            now=time_of_day,
        )
        self._deletions = ChatDeletions(
            runtime, host=lambda: self.host, registry=self._open_registry.current
        )
        self._restarted_chats = RestartedChats(runtime, clock=clock)
        self._rename_detector = RenameDetector(
            runtime,
            registry=self._open_registry.current,
            on_chat_deleted=self._deletions.handle_deleted_chat,
            existed_recently=self._scanner.existed_recently,
            on_renamed=self._on_renamed,
            now=time_of_day,
        )

    def watch(self, path: Path, chat: ChatRef) -> None:
        """Keeps an eye on this chat's file from now on, and on its character's other chats."""
        self._scanner.mark_active(chat.namespace)
        watch = self._watched.get(path) or _WatchedFile(chat)
        watch.chat = chat
        self._watched.put(path, watch)

    def unwatch(self, namespace: Namespace) -> None:
        """Looks no longer after these chats: on return nothing of them is being written, nor is
        what waits to be.
        """
        with self._lock:
            for path, watch in self._watched.items():
                if watch.chat.namespace == namespace:
                    self._watched.pop(path)
            self._unwatch_counts[namespace] += 1
            self._scanner.forget_namespace(namespace)

    @contextmanager
    def transferring(self, namespace: Namespace, new: Namespace) -> Iterator[None]:
        """No chat is settled meanwhile; behind it these chats are the new one's."""
        with self._lock:
            yield
            for _, watch in self._watched.items():
                if watch.chat.namespace == namespace:
                    watch.chat = replace(watch.chat, namespace=new)
            self._scanner.transfer(namespace, new)

    def renamed_to(self, namespace: Namespace) -> str:
        """The name that the host gave this character since; empty where it gave none."""
        return self._scanner.renamed_folders.get(namespace, "")

    def poll(self) -> None:
        """Settles every watched chat whose file has changed and is quiet; looks for others."""
        try:
            self._sync_each(self._sync_if_quiet)
        finally:
            with self._lock:
                self._open_registry.reopen()
                self._run_scan(self._scanner.scan_step)

    def scan_now(self) -> None:
        """Looks at once through all chats that there are, for what has changed meanwhile."""
        with self._lock:
            self._run_scan(self._scanner.scan_all)

    def _run_scan(self, scan: Callable[[], None]) -> None:
        if not self._runtime.settings.ltm_writes.enabled:
            return
        try:
            scan()
        except sqlite3.Error:  # the book is derived: another one does as well
            self._open_registry.close()

    def sync_and_close(self) -> None:
        """Settles what has changed, quiet or not: the program ends."""
        self.scan_now()
        self._sync_each(self._sync_now)
        with self._lock:
            self._open_registry.close()

    def _sync_each(self, sync: Callable[[Path, _WatchedFile, FileStamp], None]) -> None:
        """One that cannot be settled keeps no other waiting; its error is raised at the end."""
        faults: list[Exception] = []
        with self._lock:
            watched = self._watched.items()
            for rank, (path, watch) in enumerate(watched, start=_MAX_SYNCED_WATCHED - len(watched)):
                now = file_stamp(path)
                if now is None or now == watch.synced_stamp:
                    if now is not None and rank < 0:
                        self._watched.pop(path)
                    continue
                try:
                    self._sync_one(sync, path, watch, now)
                except Exception as exc:  # noqa: BLE001 - raised below
                    faults.append(exc)
        if faults:
            raise faults[0]

    def _sync_one(
        self,
        sync: Callable[[Path, _WatchedFile, FileStamp], None],
        path: Path,
        watch: _WatchedFile,
        now: FileStamp,
    ) -> None:
        try:
            self._register(path, watch, now)
            sync(path, watch, now)
        except sqlite3.Error:  # the book is derived: another one does as well
            self._open_registry.close()
            self._register(path, watch, now)
            sync(path, watch, now)

    def _register(self, path: Path, watch: _WatchedFile, now: FileStamp) -> None:
        """After a crash nobody takes it for a chat from before the extension came."""
        if (
            not watch.is_registered
            and self._open_registry.current().get(path.parent, path.name) is None
        ):
            self._update_registry(path, watch.chat.namespace, FileStamp(0, 0, now.inode))
        watch.is_registered = True

    def _sync_if_quiet(self, path: Path, watch: _WatchedFile, now: FileStamp) -> None:
        if now != watch.last_stamp:
            watch.last_stamp, watch.unchanged_since = now, self._clock()
        if watch.changing_since is None:
            watch.changing_since = self._clock()
        quiet = self._clock() - watch.unchanged_since
        restless = self._clock() - watch.changing_since
        if not self._is_due(quiet, restless):
            return
        watch.changing_since = self._clock()
        if self._sync_file(path, watch.chat, quiet):
            watch.synced_stamp, watch.changing_since = now, None
            self._update_registry(path, watch.chat.namespace, now)

    def _sync_now(self, path: Path, watch: _WatchedFile, now: FileStamp) -> None:
        if self._sync_file(path, watch.chat, UNANSWERED_AFTER_S):
            watch.synced_stamp = now
            self._update_registry(path, watch.chat.namespace, now)

    def _is_due(self, unchanged_s: float, changing_s: float) -> bool:
        """A chat in which messages follow each other fast is not quiet, but its older rows are."""
        waited = max(unchanged_s, changing_s)
        at_rest = unchanged_s >= QUIET_S or changing_s >= MAX_DELAY_S
        return waited >= MAX_GENERATING_S or (at_rest and not self.host.is_generating())

    def _sync_file(self, path: Path, chat: ChatRef, unchanged_s: float) -> bool:
        """Whether all that stands in the file is settled."""
        try:
            rows = read_rows(path)
        except (HostError, StorageFailed) as exc:
            if unchanged_s >= MAX_GENERATING_S and isinstance(exc, StorageFailed):
                raise
            return unchanged_s >= MAX_GENERATING_S  # being written just now, or no chat at all
        chat = self._with_stored_name(path, chat)
        exchanges = to_exchanges(rows, chat.speakers)
        self._detect_rename(path, chat, exchanges)
        awaits_answer = (
            bool(exchanges) and not exchanges[-1].assistant and unchanged_s < UNANSWERED_AFTER_S
        )
        self._write(chat, exchanges[:-1] if awaits_answer else exchanges, whole=not awaits_answer)
        return not awaits_answer

    def _with_stored_name(self, path: Path, chat: ChatRef) -> ChatRef:
        """Under the name that it has beside other characters' chats."""
        memory, pauses = self._runtime.memory, self._runtime.pauses
        if chat.conversation != conversation_of(path.name):
            return chat
        if self._runtime.settings.ltm_writes.enabled:
            assign_unique_name(memory, pauses, self._open_registry.current(), chat.namespace, path)
        return replace(
            chat, conversation=stored_name(memory, chat.namespace, path.parent, path.name)
        )

    def _detect_rename(self, path: Path, chat: ChatRef, said: Sequence[Exchange]) -> None:
        """It may be a chat that had another name, or have the name of a deleted one."""
        now = file_stamp(path)
        if now is not None and self._runtime.settings.ltm_writes.enabled:
            namespace = self._runtime.memory.resolve(chat.namespace)
            with suppress(OSError):  # its folder went meanwhile
                self._rename_detector.follow_file(path, now, namespace, said)

    def _on_renamed(self, namespace: Namespace, before: str, conversation: str) -> None:
        last = self.last_chats.get(namespace)
        if last is not None and last.conversation == before:
            self.last_chats.put(namespace, replace(last, conversation=conversation))

    def sync_chat(self, namespace: Namespace, conversation: str) -> None:
        """Settles what this chat's file holds by now, quiet or not, if it is watched."""
        with self._lock:
            for path, watch in self._watched.items():
                if (watch.chat.namespace, watch.chat.conversation) == (namespace, conversation):
                    self._sync_file(path, watch.chat, UNANSWERED_AFTER_S)

    def sync_namespace(self, namespace: Namespace) -> None:
        """Settles what the files of all watched chats of a namespace hold by now, quiet or not."""
        with self._lock:
            for path, watch in self._watched.items():
                if watch.chat.namespace == namespace:
                    self._sync_file(path, watch.chat, UNANSWERED_AFTER_S)

    def request_sync(self, path: Path, namespace: Namespace) -> None:
        """Looks after a chat that has changed without a message, when there is room for it."""
        watch, now = self._watched.get(path), file_stamp(path)
        if now is None or (watch is None and self._pending_count() >= _MAX_PENDING):
            return
        if watch is None:
            conversation = stored_name(self._runtime.memory, namespace, path.parent, path.name)
            speakers = known_speakers(self._runtime.memory, namespace, conversation)
            chat = ChatRef(namespace=namespace, conversation=conversation, speakers=speakers)
            self._watched.put(path, _WatchedFile(chat))
        elif watch.synced_stamp == now:
            self._update_registry(path, watch.chat.namespace, now)

    def has_pending_in(self, folder: Path) -> bool:
        """Whether a chat of this folder is still to be written down."""
        return any(
            path.parent == folder and _needs_sync(path, watch)
            for path, watch in self._watched.items()
        )

    def _pending_count(self) -> int:
        return sum(_needs_sync(path, watch) for path, watch in self._watched.items())

    def on_file_deleted(self, chat: RegisteredChat) -> bool:
        """A chat was deleted; whether something is left that only it showed."""
        self._watched.pop(Path(chat.folder, chat.name))
        return self._deletions.handle_deleted_chat(chat)

    def deleted_chat_stats(self, namespace: Namespace) -> DeletedChatStats:
        """What is remembered of chats that are deleted."""
        with self._lock:
            return self._deletions.left(namespace)

    def forget_deleted(self, namespace: Namespace) -> int:
        """Forgets that; returns how many memories."""
        with self._lock:
            return self._deletions.forget_left(namespace)

    def _update_registry(self, path: Path, namespace: Namespace, now: FileStamp) -> None:
        if self._runtime.settings.ltm_writes.enabled:
            with suppress(OSError):  # its folder went meanwhile
                self._open_registry.current().put(
                    path, now, folder_identity(path.parent), namespace
                )

    def sync_rows(
        self, chat: ChatRef, rows: Sequence[ChatRow], last: Exchange | None = None
    ) -> None:
        """For chats that the host does not save: what was shown, and the answer just given."""
        self._sync_exchanges(
            chat, exchanges_with_answer(rows, chat.speakers, last, now=time.time())
        )

    def make_sync_callback(self, chat: ChatRef) -> Callable[[Sequence[Exchange]], None]:
        """Settles what is shown now, whenever it is called, unless drop() is called before."""
        unwatch_count = self._unwatch_counts[chat.namespace]

        def sync(exchanges: Sequence[Exchange]) -> None:
            with self._lock:
                if self._unwatch_counts[chat.namespace] == unwatch_count:
                    self._sync_exchanges(chat, exchanges)

        return sync

    def _sync_exchanges(self, chat: ChatRef, exchanges: Sequence[Exchange]) -> None:
        if not exchanges:
            return
        name = chat.conversation or self.conversation_of(chat.namespace, exchanges[0])
        if self._runtime.settings.ltm_writes.enabled:
            namespace = self._runtime.memory.resolve(chat.namespace)
            self._restarted_chats.observe(namespace, name, exchanges[0])
        self._write(replace(chat, conversation=name), exchanges, whole=False)

    def conversation_of(self, namespace: Namespace, first: Exchange) -> str:
        """Where this beginning was met before; else its own hash."""
        known = self._runtime.memory.conversation_of(namespace, first)
        return known or hashed_conversation(namespace, first)

    def _write(self, chat: ChatRef, shown: Sequence[Exchange], *, whole: bool) -> None:
        chat = replace(chat, namespace=self._runtime.memory.resolve(chat.namespace))
        chat_key = chat.namespace, chat.conversation
        said = writable_exchanges(self._runtime, *chat_key, shown, whole=whole)
        if not self._runtime.settings.ltm_writes.enabled:
            return
        said = with_known_names(self._runtime.memory, chat.namespace, chat.conversation, said)
        diff = self._runtime.memory.reconcile(chat.namespace, chat.conversation, said, whole=whole)
        if diff:
            log_write(chat.namespace, diff, self._runtime.settings)
            self._runtime.schedule(chat.namespace)
