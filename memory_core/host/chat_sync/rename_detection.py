"""Detects that a chat, its file or its folder was renamed, replaced or restarted.

The host does not report renames. A renamed file keeps its inode, but many file systems reuse the
inode of a deleted file for the next one. So the content of the file has to match, too. A folder
that the registry does not know, such as a copy or a new disk, is found by the content of its chats.

A chat without a file is named by its first exchange, so a new first answer makes a new chat. Chats
of two users or windows may begin with the same words. A chat removed here by mistake returns with
its next message, since clients send the whole chat.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from ...domain.errors import HostError
from ...domain.namespaces import API_PREFIX, Namespace, Scope, encode
from ...domain.records import Exchange, side_key
from ...infra.lru_cache import LRUCache
from ...memory.long_term_memory import LongTermMemory
from ...memory.runtime import Runtime
from ...storage.pauses import PauseState
from ..chat.chat_file import (
    ChatFolder,
    FileStamp,
    archived_name,
    conversation_of,
    folder_identity,
    is_host_generated,
    is_unnamed,
    list_chats,
    read_rows,
)
from ..chat.exchanges import to_exchanges
from .chat_registry import ChatRegistry, RegisteredChat
from .deletions import memories_in_chat, memories_only_in_chat, remove_chat
from .owners import known_speakers, stored_name

RESTART_WINDOW_S = 300.0  # users regenerate the first answer within this time, if ever
_MAX_CHATS = 256
_MAX_FILES_READ = 3
_MAX_EXCHANGES_COMPARED = 200
_FEW = 2  # exchanges at a chat's end, which nearly always show that it continues
ExchangeFingerprint = tuple[str, str, float | None]


@dataclass(frozen=True, slots=True)
class _ChatStart:
    conversation: str
    started_at: float


class RestartedChats:
    """Remembers the beginnings of recent chats without a file. `clock` returns seconds."""

    def __init__(self, runtime: Runtime, *, clock: Callable[[], float]) -> None:
        self._runtime = runtime
        self._clock = clock
        self._recent: LRUCache[tuple[Namespace, str], _ChatStart] = LRUCache(_MAX_CHATS)

    def observe(self, namespace: Namespace, conversation: str, first: Exchange) -> None:
        """Notes the beginning of a chat, and removes the chat that it restarts.

        Ignores chats that begin without user text, since any two may look alike.
        """
        if not first.user:
            return
        key, now = (namespace, side_key(first.user)), self._clock()
        previous = self._recent.get(key)
        if previous is None or previous.conversation != conversation:
            self._recent.put(key, _ChatStart(conversation, now))
            if previous is not None and now - previous.started_at < RESTART_WINDOW_S:
                self._remove_abandoned(namespace, previous.conversation)

    def _remove_abandoned(self, namespace: Namespace, conversation: str) -> None:
        """Removes a chat, unless it has several exchanges or a pinned one."""
        memory = self._runtime.memory
        exchanges = memory.conversation(namespace, conversation, 2)
        if len(exchanges) == 1 and not exchanges[0].pinned:
            memory.reconcile(namespace, conversation, [], whole=True)


def owners_without_folder(memory: LongTermMemory, folder: ChatFolder) -> list[Namespace]:
    """Returns the namespaces of all page users that have the name of this folder."""
    return [
        namespace
        for namespace in memory.namespaces()
        if namespace.scope is Scope.CHARACTER
        and namespace.character == folder.character
        and not namespace.user.startswith(API_PREFIX)
        and memory.resolve(namespace) == namespace
    ]


def find_new_folder_name(
    memory: LongTermMemory, namespace: Namespace, folder: ChatFolder
) -> str | None:
    """Returns the sibling folder with most remembered chats, matched by name and content.

    Returns None if there is none. Raises OSError, LongTermMemoryError.
    """
    if not memory.has_namespace(namespace):
        return None
    with memory.open_namespace(namespace) as opened:
        logs = set(opened.event_log.logs())
    if not logs or not folder.parent.is_dir():
        return None
    siblings = {
        sibling: _remembered_files(sibling, logs)
        for sibling in folder.parent.iterdir()
        if sibling.is_dir()
    }
    for sibling, names in sorted(siblings.items(), key=lambda pair: (-len(pair[1]), pair[0].name)):
        if names and _all_match(memory, namespace, sibling, names):
            return sibling.name
    return None


def _remembered_files(folder: Path, logs: set[str]) -> list[str]:
    """Returns the files with the names of remembered chats, newest first."""
    dated = [(stamp.mtime_ns, name) for name, stamp in list_chats(folder) if not is_unnamed(name)]
    newest_first = sorted(dated, reverse=True)
    return [name for _, name in newest_first if encode(conversation_of(name)) in logs]


def _all_match(
    memory: LongTermMemory, namespace: Namespace, folder: Path, names: Sequence[str]
) -> bool:
    """Returns whether each of the newest files shares an exchange with its memories."""
    return all(
        _matches_memory(memory, namespace, folder / name) for name in names[:_MAX_FILES_READ]
    )


def _matches_memory(memory: LongTermMemory, namespace: Namespace, path: Path) -> bool:
    conversation = conversation_of(path.name)
    memories = memory.conversation(namespace, conversation, _MAX_EXCHANGES_COMPARED)
    known = [stored.exchange for stored in memories if stored.exchange]
    try:
        shown = to_exchanges(read_rows(path), known_speakers(memory, namespace, conversation))
    except HostError:
        return False
    return have_common_exchange(known, shown)


class RenameDetector:
    """Follows chat files across renames; not thread-safe.

    `on_chat_deleted` handles a deleted chat and returns whether memories of it are left.
    `existed_recently` returns whether a missing file existed shortly before it was missed.
    `on_renamed` gets the namespace, the old and the new name. `now` returns epoch seconds.
    """

    def __init__(
        self,
        runtime: Runtime,
        *,
        registry: ChatRegistry,
        on_chat_deleted: Callable[[RegisteredChat], bool],
        existed_recently: Callable[[Path], bool],
        on_renamed: Callable[[Namespace, str, str], None],
        now: Callable[[], float],
    ) -> None:
        self._runtime = runtime
        self._registry = registry
        self._on_chat_deleted = on_chat_deleted
        self._existed_recently = existed_recently
        self._on_renamed = on_renamed
        self._now = now

    def follow_file(
        self, path: Path, stamp: FileStamp, namespace: Namespace, shown: Sequence[Exchange]
    ) -> None:
        """Moves memories so that the file's conversation is its own. Must run before saving it."""
        known = self._registry.get(path.parent, path.name)
        if known is not None and _is_same_file(known, stamp):
            if self._is_overwritten(known, shown):
                self._archive_overwritten(known)
            return
        former: list[RegisteredChat] = []
        for chat in self._possible_former_chats(path, stamp, namespace):
            if self._is_former_chat(chat, path, stamp, shown):
                former.append(chat)
            else:
                self._registry.invalidate_inode(chat)
        if known is not None and self._is_replaced(known, stamp, shown, was_renamed=bool(former)):
            self._archive_previous(known)
        conversation = stored_name(self._runtime.memory, namespace, path.parent, path.name)
        for chat in former:
            self._transfer(chat, namespace, conversation)

    def _possible_former_chats(
        self, path: Path, stamp: FileStamp, namespace: Namespace
    ) -> Iterator[RegisteredChat]:
        """Yields the registered chats that had this inode under a name that is free now."""
        if not stamp.inode:
            return
        resolve, identity = self._runtime.memory.resolve, folder_identity(path.parent)
        for chat in self._registry.in_folder(path.parent):
            if chat.stamp.inode != stamp.inode or chat.name == path.name or chat.is_deleted:
                continue
            is_mine = chat.namespace is not None and resolve(chat.namespace) == namespace
            is_free = not chat.path.exists() or _is_other_case(chat.name, path.name)
            if is_mine and is_free and chat.folder_identity == identity:
                yield chat

    def _is_former_chat(
        self, chat: RegisteredChat, path: Path, stamp: FileStamp, shown: Sequence[Exchange]
    ) -> bool:
        """Returns whether the file is this chat under a new name.

        It is if the stamp is unchanged, or if the old name vanished moments ago and the host did
        not generate the new one. Else it must share an exchange that no other chat shows.
        """
        if stamp == chat.stamp or (
            self._existed_recently(chat.path) and not is_host_generated(path.name)
        ):
            return True
        memory = self._runtime.memory
        namespace = memory.resolve(chat.namespace) if chat.namespace else None
        if namespace is None:
            return False
        records = memories_only_in_chat(memory, namespace, self._stored_name(chat, namespace))
        own = [record.chat for record in records if record.chat]
        if _have_common_fingerprint(own, shown, _content_fingerprints):
            return True
        return _have_common_fingerprint(
            own,
            [exchange for exchange in shown if not memory.conversation_of(namespace, exchange)],
            _side_fingerprints,
        )

    def _is_replaced(
        self,
        known: RegisteredChat,
        stamp: FileStamp,
        shown: Sequence[Exchange],
        *,
        was_renamed: bool,
    ) -> bool:
        """Returns whether the file is a different chat than the one registered by its name."""
        was_replaced = bool(known.stamp.inode and stamp.inode) and known.stamp.inode != stamp.inode
        was_gone = known.missing_since is not None
        is_here = known.folder_identity == folder_identity(Path(known.folder))
        if known.namespace is None or not (was_replaced or was_gone) or not is_here:
            return False
        return was_renamed or not self._is_continued(known, shown)

    def _is_overwritten(self, known: RegisteredChat, shown: Sequence[Exchange]) -> bool:
        """Returns whether the host saved a different chat into the file of this one.

        An upload replaces the file of the open chat. Of a chat with one exchange, the user may have
        changed both sides; one without any was emptied.
        """
        if is_unnamed(known.name):
            return not self._is_continued(known, shown)
        if known.namespace is None or not shown:
            return False
        name = self._stored_name(known, known.namespace)
        last = self._runtime.memory.conversation(known.namespace, name, _FEW)
        exchanges = [memory.exchange for memory in last if memory.exchange]
        if len(exchanges) < _FEW or have_common_exchange(exchanges, shown[-2 * _FEW :]):
            return False
        return not self._is_continued(known, shown)

    def _is_continued(self, known: RegisteredChat, shown: Sequence[Exchange]) -> bool:
        """Returns whether the file shows any stored exchange of the registered chat."""
        if known.namespace is None:
            return True
        memory = self._runtime.memory
        records = memories_in_chat(
            memory, known.namespace, self._stored_name(known, known.namespace)
        )
        stored = [record.chat for record in records if record.chat]
        return have_common_exchange(stored, shown)

    def _archive_overwritten(self, chat: RegisteredChat) -> None:
        """Archives a chat that the host overwrote with another, which the user did not delete."""
        memory = self._runtime.memory
        if chat.namespace is None:
            return
        if remove_chat(memory, chat.namespace, self._stored_name(chat, chat.namespace)):
            self._archive(chat, chat.namespace)

    def _archive_previous(self, chat: RegisteredChat) -> None:
        """Archives the rest of a deleted chat, so that its name is free for the new chat."""
        if chat.namespace is not None and self._on_chat_deleted(chat):
            self._archive(chat, chat.namespace)
        else:
            self._registry.delete(chat)

    def _archive(self, chat: RegisteredChat, namespace: Namespace) -> None:
        """Moves the chat's memories to a name that no file can have."""
        now = self._now()
        archived = archived_name(chat.name, now)
        self._move(chat, namespace, conversation_of(archived))
        self._registry.archive(chat, archived, now)

    def _transfer(self, chat: RegisteredChat, namespace: Namespace, conversation: str) -> None:
        old_name = self._stored_name(chat, namespace)
        self._move(chat, namespace, conversation)
        self._on_renamed(namespace, old_name, conversation)
        self._registry.delete(chat)

    def _stored_name(self, chat: RegisteredChat, namespace: Namespace) -> str:
        return stored_name(self._runtime.memory, namespace, chat.folder, chat.name)

    def _move(self, chat: RegisteredChat, namespace: Namespace, conversation: str) -> None:
        """Moves the memories and the pauses of a chat to another conversation."""
        memory, pauses = self._runtime.memory, self._runtime.pauses
        resolved = memory.resolve(namespace)
        old_name = self._stored_name(chat, resolved)
        if pause := pauses.get(resolved, old_name):
            pauses.set_pause(resolved, conversation, pause)
            pauses.set_pause(resolved, old_name, PauseState())
        memory.move_conversation(resolved, old_name, conversation)


def _is_other_case(name: str, other: str) -> bool:
    """Returns whether the names differ in case only.

    On a case-insensitive disk the old name still seems to exist then.
    """
    return name.casefold() == other.casefold()


def _is_same_file(known: RegisteredChat, stamp: FileStamp) -> bool:
    """Returns whether this is the file that was saved, and it was never missing since."""
    is_written = known.stamp.mtime_ns > 0
    return is_written and known.missing_since is None and known.stamp.inode == stamp.inode


def have_common_exchange(stored: Sequence[Exchange], shown: Sequence[Exchange]) -> bool:
    """Returns whether both have an exchange, or one side of an exchange, in common.

    Their times must be equal, too, unless most of the stored exchanges are shown.
    """
    return _shows_most(stored, shown) or any(
        _have_common_fingerprint(stored, shown, fingerprints)
        for fingerprints in (_content_fingerprints, _side_fingerprints)
    )


def _shows_most(stored: Sequence[Exchange], shown: Sequence[Exchange]) -> bool:
    """Returns whether at least two and half of the stored exchanges are shown, at any time.

    The host dates all of a chat anew in another time zone.
    """
    keys = {exchange.key for exchange in stored}
    common = keys & {exchange.key for exchange in shown}
    return len(common) > 1 and 2 * len(common) >= len(keys)


def _have_common_fingerprint(
    stored: Sequence[Exchange],
    shown: Sequence[Exchange],
    fingerprints: Callable[[Exchange], list[ExchangeFingerprint]],
) -> bool:
    """Returns whether any exchanges of both have a fingerprint in common."""
    shown_prints = {fingerprint for exchange in shown for fingerprint in fingerprints(exchange)}
    return any(
        fingerprint in shown_prints for exchange in stored for fingerprint in fingerprints(exchange)
    )


def _content_fingerprints(exchange: Exchange) -> list[ExchangeFingerprint]:
    return [("both", exchange.key, exchange.ts)]


def _side_fingerprints(exchange: Exchange) -> list[ExchangeFingerprint]:
    """Returns fingerprints of each side, which survive a change of the other side."""
    sides = ("user", exchange.user), ("assistant", exchange.assistant)
    return [(name, side_key(text), exchange.ts) for name, text in sides if text]
