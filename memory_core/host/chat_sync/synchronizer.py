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
from ...infra.lru_cache import Recent
from ...memory.console import tell_write
from ...memory.runtime import Runtime
from ...prompt.window import Row
from ..chat.chat_file import Stamp, read_rows, stamp
from ..chat.exchanges import Cast, exchanges
from ..chat.host_protocol import Host
from ..chat.identity import hashed_conversation
from ..chat.paths import conversation_of, place
from .chat_registry import FILE as BOOK
from .chat_registry import OpenBook, SeenChat
from .deletions import ChatDeletions, Left
from .name_conflicts import kept_as, name_apart
from .owners import cast_for, with_known_names
from .rename_detection import Succession
from .restarted_chats import Beginnings
from .scanner import ChatScan
from .unsaved_chat import shown
from .withheld import writable_exchanges

QUIET_S = 1.0  # the host writes the file in one go; a second save follows within this
UNANSWERED_S = 4.0  # a message still without an answer is kept as it stands
RESTLESS_S = 3.0  # however fast messages follow each other, what is finished is written by then
STUCK_S = 6.0  # another chat may be generating all the time
_MOST_WATCHED = 64  # of those that are settled; the scan sees when others change
_MOST_IN_USE = 1024
_MOST_WAITING = 16  # beside those in use


@dataclass(frozen=True, slots=True, kw_only=True)
class Chat:
    """A conversation as the settling sees it."""

    namespace: Namespace
    conversation: str
    cast: Cast


@dataclass(slots=True)
class _Watch:
    chat: Chat
    settled: Stamp | None = None
    seen: Stamp | None = None
    since: float = 0.0
    is_entered: bool = False
    restless_since: float | None = None


def _waits(path: Path, watch: _Watch) -> bool:
    now = stamp(path)
    return now is not None and now != watch.settled


class Settler:
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
        self._settling = threading.Lock()
        self._watched: Recent[Path, _Watch] = Recent(_MOST_IN_USE)
        self.last_chats: Recent[Namespace, Chat] = Recent(_MOST_WATCHED)  # talked in last
        self._drops: Counter[Namespace] = Counter()
        self._book = OpenBook(
            lambda: runtime.memory.root / BOOK,
            forgets=lambda: self._scan.start_over(),
            clock=clock,
        )
        self._scan = ChatScan(
            runtime, self, host=lambda: self.host, book=self._book.current, now=time_of_day
        )
        self._deletions = ChatDeletions(runtime, host=lambda: self.host, book=self._book.current)
        self._beginnings = Beginnings(runtime, clock=clock)
        self._succession = Succession(
            runtime,
            book=self._book.current,
            take_leave=self._deletions.handle_deleted_chat,
            was_there=self._scan.was_there,
            went_on=self._went_on,
            now=time_of_day,
        )

    def watch(self, path: Path, chat: Chat) -> None:
        """Keeps an eye on this chat's file from now on, and on its character's other chats."""
        self._scan.talked(chat.namespace)
        watch = self._watched.get(path) or _Watch(chat)
        watch.chat = chat
        self._watched.put(path, watch)

    def drop(self, namespace: Namespace) -> None:
        """Looks no longer after these chats: on return nothing of them is being written, nor is
        what waits to be.
        """
        with self._settling:
            for path, watch in self._watched.items():
                if watch.chat.namespace == namespace:
                    self._watched.pop(path)
            self._drops[namespace] += 1
            self._scan.leave(namespace)

    @contextmanager
    def handing_over(self, namespace: Namespace, new: Namespace) -> Iterator[None]:
        """No chat is settled meanwhile; behind it these chats are the new one's."""
        with self._settling:
            yield
            for _, watch in self._watched.items():
                if watch.chat.namespace == namespace:
                    watch.chat = replace(watch.chat, namespace=new)
            self._scan.hand_over(namespace, new)

    def moved_to(self, namespace: Namespace) -> str:
        """The name that the host gave this character since; empty where it gave none."""
        return self._scan.moved.get(namespace, "")

    def tick(self) -> None:
        """Settles every watched chat whose file has changed and is quiet; looks for others."""
        try:
            self._settle_each(self._settle_quiet)
        finally:
            with self._settling:
                self._book.reopen()
                self._look_around(self._scan.step)

    def look_around(self) -> None:
        """Looks at once through all chats that there are, for what has changed meanwhile."""
        with self._settling:
            self._look_around(self._scan.look)

    def _look_around(self, look: Callable[[], None]) -> None:
        if not self._runtime.settings.ltm_writes.enabled:
            return
        try:
            look()
        except sqlite3.Error:  # the book is derived: another one does as well
            self._book.close()

    def finish(self) -> None:
        """Settles what has changed, quiet or not: the program ends."""
        self.look_around()
        self._settle_each(self._settle_now)
        with self._settling:
            self._book.close()

    def _settle_each(self, settle: Callable[[Path, _Watch, Stamp], None]) -> None:
        """One that cannot be settled keeps no other waiting; its error is raised at the end."""
        faults: list[Exception] = []
        with self._settling:
            watched = self._watched.items()
            for rank, (path, watch) in enumerate(watched, start=_MOST_WATCHED - len(watched)):
                now = stamp(path)
                if now is None or now == watch.settled:
                    if now is not None and rank < 0:
                        self._watched.pop(path)
                    continue
                try:
                    self._settle_one(settle, path, watch, now)
                except Exception as exc:  # noqa: BLE001 - raised below
                    faults.append(exc)
        if faults:
            raise faults[0]

    def _settle_one(
        self, settle: Callable[[Path, _Watch, Stamp], None], path: Path, watch: _Watch, now: Stamp
    ) -> None:
        try:
            self._enter(path, watch, now)
            settle(path, watch, now)
        except sqlite3.Error:  # the book is derived: another one does as well
            self._book.close()
            self._enter(path, watch, now)
            settle(path, watch, now)

    def _enter(self, path: Path, watch: _Watch, now: Stamp) -> None:
        """After a crash nobody takes it for a chat from before the extension came."""
        if not watch.is_entered and self._book.current().get(path.parent, path.name) is None:
            self._keep_book(path, watch.chat.namespace, Stamp(0, 0, now.file))
        watch.is_entered = True

    def _settle_quiet(self, path: Path, watch: _Watch, now: Stamp) -> None:
        if now != watch.seen:
            watch.seen, watch.since = now, self._clock()
        if watch.restless_since is None:
            watch.restless_since = self._clock()
        quiet = self._clock() - watch.since
        restless = self._clock() - watch.restless_since
        if not self._is_due(quiet, restless):
            return
        watch.restless_since = self._clock()
        if self._settle_file(path, watch.chat, quiet):
            watch.settled, watch.restless_since = now, None
            self._keep_book(path, watch.chat.namespace, now)

    def _settle_now(self, path: Path, watch: _Watch, now: Stamp) -> None:
        if self._settle_file(path, watch.chat, UNANSWERED_S):
            watch.settled = now
            self._keep_book(path, watch.chat.namespace, now)

    def _is_due(self, quiet: float, restless: float) -> bool:
        """A chat in which messages follow each other fast is not quiet, but its older rows are."""
        waited = max(quiet, restless)
        at_rest = quiet >= QUIET_S or restless >= RESTLESS_S
        return waited >= STUCK_S or (at_rest and not self.host.is_generating())

    def _settle_file(self, path: Path, chat: Chat, quiet: float) -> bool:
        """Whether all that stands in the file is settled."""
        try:
            rows = read_rows(path)
        except (HostError, StorageFailed) as exc:
            if quiet >= STUCK_S and isinstance(exc, StorageFailed):
                raise
            return quiet >= STUCK_S  # being written just now, or no chat at all
        chat = self._kept_apart(path, chat)
        found = exchanges(rows, chat.cast)
        self._follow(path, chat, found)
        waits = bool(found) and not found[-1].assistant and quiet < UNANSWERED_S
        self._write(chat, found[:-1] if waits else found, whole=not waits)
        return not waits

    def _kept_apart(self, path: Path, chat: Chat) -> Chat:
        """Under the name that it has beside other characters' chats."""
        memory, switches = self._runtime.memory, self._runtime.switches
        if chat.conversation != conversation_of(path.name):
            return chat
        if self._runtime.settings.ltm_writes.enabled:
            name_apart(memory, switches, self._book.current(), chat.namespace, path)
        return replace(chat, conversation=kept_as(memory, chat.namespace, path.parent, path.name))

    def _follow(self, path: Path, chat: Chat, said: Sequence[Exchange]) -> None:
        """It may be a chat that had another name, or have the name of a deleted one."""
        now = stamp(path)
        if now is not None and self._runtime.settings.ltm_writes.enabled:
            namespace = self._runtime.memory.resolve(chat.namespace)
            with suppress(OSError):  # its folder went meanwhile
                self._succession.follow(path, now, namespace, said)

    def _went_on(self, namespace: Namespace, before: str, conversation: str) -> None:
        last = self.last_chats.get(namespace)
        if last is not None and last.conversation == before:
            self.last_chats.put(namespace, replace(last, conversation=conversation))

    def settle_chat(self, namespace: Namespace, conversation: str) -> None:
        """Settles what this chat's file holds by now, quiet or not, if it is watched."""
        with self._settling:
            for path, watch in self._watched.items():
                if (watch.chat.namespace, watch.chat.conversation) == (namespace, conversation):
                    self._settle_file(path, watch.chat, UNANSWERED_S)

    def settle_all(self, namespace: Namespace) -> None:
        """Settles what the files of all watched chats of a namespace hold by now, quiet or not."""
        with self._settling:
            for path, watch in self._watched.items():
                if watch.chat.namespace == namespace:
                    self._settle_file(path, watch.chat, UNANSWERED_S)

    def offer(self, path: Path, namespace: Namespace) -> None:
        """Looks after a chat that has changed without a message, when there is room for it."""
        watch, now = self._watched.get(path), stamp(path)
        if now is None or (watch is None and self._waiting() >= _MOST_WAITING):
            return
        if watch is None:
            conversation = kept_as(self._runtime.memory, namespace, path.parent, path.name)
            cast = cast_for(self._runtime.memory, namespace, conversation)
            chat = Chat(namespace=namespace, conversation=conversation, cast=cast)
            self._watched.put(path, _Watch(chat))
        elif watch.settled == now:
            self._keep_book(path, watch.chat.namespace, now)

    def is_waiting(self, folder: Path) -> bool:
        """Whether a chat of this folder is still to be written down."""
        return any(path.parent == folder and _waits(path, it) for path, it in self._watched.items())

    def _waiting(self) -> int:
        return sum(_waits(path, it) for path, it in self._watched.items())

    def gone(self, chat: SeenChat) -> bool:
        """A chat was deleted; whether something is left that only it showed."""
        self._watched.pop(Path(chat.folder, chat.name))
        return self._deletions.handle_deleted_chat(chat)

    def left_of_deleted(self, namespace: Namespace) -> Left:
        """What is remembered of chats that are deleted."""
        with self._settling:
            return self._deletions.left(namespace)

    def forget_deleted(self, namespace: Namespace) -> int:
        """Forgets that; returns how many memories."""
        with self._settling:
            return self._deletions.forget_left(namespace)

    def _keep_book(self, path: Path, namespace: Namespace, now: Stamp) -> None:
        if self._runtime.settings.ltm_writes.enabled:
            with suppress(OSError):  # its folder went meanwhile
                self._book.current().put(path, now, place(path.parent), namespace)

    def settle_rows(self, chat: Chat, rows: Sequence[Row], last: Exchange | None = None) -> None:
        """For chats that the host does not save: what was shown, and the answer just given."""
        self._settle_shown(chat, shown(rows, chat.cast, last, now=time.time()))

    def settling_later(self, chat: Chat) -> Callable[[Sequence[Exchange]], None]:
        """Settles what is shown now, whenever it is called, unless drop() is called before."""
        drops = self._drops[chat.namespace]

        def settle(found: Sequence[Exchange]) -> None:
            with self._settling:
                if self._drops[chat.namespace] == drops:
                    self._settle_shown(chat, found)

        return settle

    def _settle_shown(self, chat: Chat, found: Sequence[Exchange]) -> None:
        if not found:
            return
        name = chat.conversation or self.conversation_of(chat.namespace, found[0])
        if self._runtime.settings.ltm_writes.enabled:
            namespace = self._runtime.memory.resolve(chat.namespace)
            self._beginnings.met(namespace, name, found[0])
        self._write(replace(chat, conversation=name), found, whole=False)

    def conversation_of(self, namespace: Namespace, first: Exchange) -> str:
        """Where this beginning was met before; else its own hash."""
        known = self._runtime.memory.conversation_of(namespace, first)
        return known or hashed_conversation(namespace, first)

    def _write(self, chat: Chat, found: Sequence[Exchange], *, whole: bool) -> None:
        chat = replace(chat, namespace=self._runtime.memory.resolve(chat.namespace))
        place = chat.namespace, chat.conversation
        said = writable_exchanges(self._runtime, *place, found, whole=whole)
        if not self._runtime.settings.ltm_writes.enabled:
            return
        said = with_known_names(self._runtime.memory, chat.namespace, chat.conversation, said)
        diff = self._runtime.memory.reconcile(chat.namespace, chat.conversation, said, whole=whole)
        if diff:
            tell_write(chat.namespace, diff, self._runtime.settings)
            self._runtime.touch(chat.namespace)
