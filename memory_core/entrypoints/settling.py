"""When an exchange is finished: the host's chat file says so, or for other chats the last hook.

No hook fires after a save, nor on edits of the page's history, nor when a page is closed. So the
files of the chats in use are looked at about twice a second and, when one has changed and is
quiet, held against the transcript.
"""

import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from ..errors import HostError
from ..injection.window import Row
from ..namespaces import Namespace
from ..recent import Recent
from ..records import Exchange
from ..runtime import Runtime
from .chat_file import Stamp, read_rows, stamp
from .exchanges import Cast, dated, exchanges
from .host import Host
from .identity import hashed_conversation

QUIET_S = 1.0  # the host writes the file in one go; a second save follows within this
UNANSWERED_S = 4.0  # a message still without an answer is kept as it stands
RESTLESS_S = 3.0  # however fast messages follow each other, what is finished is written by then
STUCK_S = 6.0  # another chat may be generating all the time
_MOST_WATCHED = 64


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
    restless_since: float | None = None


class Settler:
    """Looks after chats; tick() and settle_rows() write, in whatever thread calls them."""

    def __init__(
        self, runtime: Runtime, host: Host, *, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._runtime = runtime
        self.host = host
        self._clock = clock
        self._settling = threading.Lock()
        self._watched: Recent[Path, _Watch] = Recent(_MOST_WATCHED)

    def watch(self, path: Path, chat: Chat) -> None:
        """Keeps an eye on this chat's file from now on."""
        watch = self._watched.get(path) or _Watch(chat)
        watch.chat = chat
        self._watched.put(path, watch)

    def drop(self, namespace: Namespace) -> None:
        """Looks no longer after these chats: on return nothing of them is being written."""
        with self._settling:
            for path, watch in self._watched.items():
                if watch.chat.namespace == namespace:
                    self._watched.pop(path)

    def tick(self) -> None:
        """Settles every watched chat whose file has changed and is quiet."""
        self._settle_each(self._settle_quiet)

    def finish(self) -> None:
        """Settles what has changed, quiet or not: the program ends."""
        self._settle_each(self._settle_now)

    def _settle_each(self, settle: Callable[[Path, _Watch, Stamp], None]) -> None:
        """One that cannot be settled keeps no other waiting; its error is raised at the end."""
        faults: list[Exception] = []
        with self._settling:
            for path, watch in self._watched.items():
                now = stamp(path)
                if now is None or now == watch.settled:
                    continue
                try:
                    settle(path, watch, now)
                except Exception as exc:  # noqa: BLE001 - raised below
                    faults.append(exc)
        if faults:
            raise faults[0]

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

    def _settle_now(self, path: Path, watch: _Watch, now: Stamp) -> None:
        self._settle_file(path, watch.chat, UNANSWERED_S)

    def _is_due(self, quiet: float, restless: float) -> bool:
        """A chat in which messages follow each other fast is not quiet, but its older rows are."""
        waited = max(quiet, restless)
        at_rest = quiet >= QUIET_S or restless >= RESTLESS_S
        return waited >= STUCK_S or (at_rest and not self.host.is_generating())

    def _settle_file(self, path: Path, chat: Chat, quiet: float) -> bool:
        """Whether all that stands in the file is settled."""
        try:
            rows = read_rows(path)
        except HostError:
            return quiet >= STUCK_S  # being written just now, or no chat at all
        found = exchanges(rows, chat.cast)
        waits = bool(found) and not found[-1].assistant and quiet < UNANSWERED_S
        self._write(chat, found[:-1] if waits else found, whole=not waits)
        return not waits

    def settle_rows(self, chat: Chat, rows: Sequence[Row], last: Exchange | None = None) -> None:
        """For chats that the host does not save: what was shown, and the answer just given."""
        found = exchanges(rows, chat.cast) + ([last] if last else [])
        if not found:
            return
        conversation = chat.conversation or self.conversation_of(chat.namespace, found[0])
        named = Chat(namespace=chat.namespace, conversation=conversation, cast=chat.cast)
        self._write(named, found, whole=False)

    def conversation_of(self, namespace: Namespace, first: Exchange) -> str:
        """Where this beginning was met before; else its own hash."""
        known = self._runtime.memory.conversation_of(namespace, first)
        return known or hashed_conversation(namespace, first)

    def _write(self, chat: Chat, found: Sequence[Exchange], *, whole: bool) -> None:
        if not self._runtime.settings.ltm_writes.enabled:
            return
        now = dated(found, time.time())
        if self._runtime.memory.reconcile(chat.namespace, chat.conversation, now, whole=whole):
            self._runtime.touch(chat.namespace)
