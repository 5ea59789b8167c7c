"""Finds the owner and the speakers of a chat file, since the file names neither.

The host has one chat folder per character, but aliases of a character share their memories. The
second chat of the same name gets a new name, which is saved in aliases.json.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from ...domain.errors import StorageCorrupt
from ...domain.namespaces import API_PREFIX, NAMED_SCOPES, Namespace, Scope, encode, page_user
from ...domain.records import Exchange
from ...memory.long_term_memory import LongTermMemory
from ...memory.runtime import Runtime
from ...storage.contract import Page
from ...storage.log.event_log import CONVERSATIONS
from ...storage.pauses import ChatPauses
from ...text.names import is_name
from ..chat.chat_file import character_of, conversation_of, folder_of, user_data_of
from ..chat.exchanges import Speakers
from ..chat.turn_request import ChatRef
from .chat_registry import ChatRegistry


def stored_name(memory: LongTermMemory, namespace: Namespace, folder: str | Path, name: str) -> str:
    """Returns the conversation's stored name for this chat file, present or deleted."""
    character = character_of(Path(folder)) or ""
    return memory.aliases.chat_name(namespace, character, conversation_of(name))


def assign_unique_name(
    memory: LongTermMemory,
    pauses: ChatPauses,
    registry: ChatRegistry,
    namespace: Namespace,
    path: Path,
) -> None:
    """Gives a chat a new name if an alias of its character already has a chat of this name.

    Must run before the chat is saved. Pauses of the old name apply to the new one too.
    Raises StorageFailed.
    """
    name, namespace = conversation_of(path.name), memory.resolve(namespace)
    if stored_name(memory, namespace, path.parent, path.name) != name:
        return
    others = _same_name_paths(memory, namespace, path)
    if any(_is_stored_under_its_name(memory, registry, namespace, other) for other in others):
        character = character_of(path.parent) or ""
        new = f"{name}/{character or f'_{Scope.INSTRUCT}'}"
        memory.set_aliases(memory.aliases.with_chat(namespace, character, encode(name), new))
        if pause := pauses.get(namespace, name):
            pauses.set_pause(namespace, new, pause)


def _is_stored_under_its_name(
    memory: LongTermMemory, registry: ChatRegistry, namespace: Namespace, other: Path
) -> bool:
    """Returns whether the file is a chat of this namespace, stored under its own name."""
    registered = registry.get(other.parent, other.name)
    owner = memory.resolve(registered.namespace) if registered and registered.namespace else None
    if owner != namespace or not other.exists():
        return False
    return stored_name(memory, namespace, other.parent, other.name) == conversation_of(other.name)


def _same_name_paths(memory: LongTermMemory, namespace: Namespace, path: Path) -> Iterator[Path]:
    """Yields the paths that chats of this name have under the character's other names."""
    owners = [
        namespace,
        *(alias for alias, target in memory.aliases.namespaces.items() if target == namespace),
    ]
    names = {other.character or None for other in owners if other.scope in NAMED_SCOPES}
    own = character_of(path.parent)
    user_data = user_data_of(path.parent)
    for name in sorted(names - {own}, key=lambda name: name or ""):
        if folder := folder_of(user_data, name):
            yield folder.path / path.name


class ChatOwners:
    """The page's users and their characters, as known when the object was created."""

    def __init__(self, memory: LongTermMemory, namespaces: set[Namespace]) -> None:
        self._memory = memory
        resolved = {memory.resolve(namespace) for namespace in (*memory.namespaces(), *namespaces)}
        on_page = {
            namespace
            for namespace in resolved
            if namespace.scope in NAMED_SCOPES and _is_of_page(namespace)
        }
        aliases = [
            (_folder_name(alias), target)
            for alias, target in memory.aliases.namespaces.items()
            if target in on_page
        ]
        self._name_pairs = {
            *aliases,
            *((_folder_name(namespace), namespace) for namespace in on_page),
        }

    def characters(self) -> list[str | None]:
        """Returns all characters with a folder of chats; None stands for instruct mode."""
        return sorted({name for name, _ in self._name_pairs}, key=lambda name: name or "")

    def folder_names_of(self, namespace: Namespace) -> list[str | None]:
        """Returns the namespace's own folder name, as in characters(), and those of its aliases."""
        aliases = [name for name, owner in self._name_pairs if owner == namespace]
        return list(dict.fromkeys([_folder_name(namespace), *aliases]))

    def last_writer(self, character: str | None, conversation: str) -> Namespace | None:
        """Returns the owner that last wrote to this conversation, or None."""
        dated = [
            (self._last_written_ns(namespace, conversation), namespace)
            for namespace in self._namespaces_of(character)
        ]
        dated = [pair for pair in dated if pair[0]]
        return max(dated, key=lambda pair: pair[0])[1] if dated else None

    def default_owner(self, character: str | None, profile: str) -> Namespace | None:
        """Returns the owner of an unknown chat: the page's profile, else the only candidate.

        Returns None for several candidates: memories must not reach the wrong user.
        """
        candidates = self._namespaces_of(character)
        on_page = self._memory.resolve(_namespace(page_user(profile), character))
        if profile or on_page in candidates:
            return on_page
        return candidates[0] if len(candidates) == 1 else None

    def _namespaces_of(self, character: str | None) -> list[Namespace]:
        return list({namespace for name, namespace in self._name_pairs if name == character})

    def _last_written_ns(self, namespace: Namespace, conversation: str) -> int:
        folder = namespace.folder(self._memory.root) / CONVERSATIONS
        return _mtime(folder / f"{encode(conversation)}.jsonl")


def adopt_exclusions_of_others(runtime: Runtime, namespace: Namespace) -> bool:
    """Excludes what is excluded for the page's other users of this character, as they share chats.

    Returns whether the files of all of them could be read; reports those that are damaged.
    Raises StorageCorrupt if that of the namespace itself is, StorageFailed.
    """
    namespace = runtime.memory.resolve(namespace)
    if not _is_of_page(namespace):
        return True
    damaged = []
    for other in runtime.memory.namespaces():
        is_same = (other.scope, other.character) == (namespace.scope, namespace.character)
        if is_same and other.user != namespace.user and _is_of_page(other):
            try:
                runtime.pauses.paused_chats(other)
            except StorageCorrupt as exc:
                damaged.append(str(exc))
            else:
                runtime.pauses.adopt_excluded(other, namespace)
    runtime.report_all(f"exclusions of others, {namespace.label}", damaged)
    return not damaged


def known_chat(memory: LongTermMemory, namespace: Namespace, path: Path) -> ChatRef:
    """Returns the chat of this file, with its speakers as stored."""
    conversation = stored_name(memory, namespace, path.parent, path.name)
    speakers = known_speakers(memory, namespace, conversation)
    return ChatRef(namespace=namespace, conversation=conversation, speakers=speakers)


def known_speakers(memory: LongTermMemory, namespace: Namespace, conversation: str) -> Speakers:
    """Returns the speakers of this conversation, else of the namespace's latest memory."""
    known = memory.conversation(namespace, conversation, 1)
    known = known or memory.latest(namespace, Page(limit=1))
    last = known[-1].exchange if known else None
    if namespace.scope is Scope.INSTRUCT:
        return Speakers(user_name="", assistant_name="", channel="instruct")
    return Speakers(
        user_name=last.user_name if last else "",
        assistant_name=(last.assistant_name if last else "") or namespace.character,
        channel=(last.channel if last else "") or "chat",
    )


def with_known_names(
    memory: LongTermMemory, namespace: Namespace, conversation: str, exchanges: Sequence[Exchange]
) -> Sequence[Exchange]:
    """Returns the exchanges under one pair of names.

    Names that the conversation already has are not replaced by "You" or an empty name.
    """
    known = memory.conversation(namespace, conversation, 1)
    last = known[-1].exchange if known else None
    if last is None or not exchanges:
        return exchanges
    user = _keep_real_name(last.user_name, exchanges[-1].user_name)
    assistant = _keep_real_name(last.assistant_name, exchanges[-1].assistant_name)
    if (user, assistant) == (exchanges[-1].user_name, exchanges[-1].assistant_name):
        return exchanges
    return [replace(exchange, user_name=user, assistant_name=assistant) for exchange in exchanges]


def _keep_real_name(known: str, now: str) -> str:
    return known if is_name(known) and not is_name(now) else now


def _namespace(user: str, character: str | None) -> Namespace:
    return Namespace.instruct(user) if character is None else Namespace(user, character)


def _folder_name(namespace: Namespace) -> str | None:
    return None if namespace.scope is Scope.INSTRUCT else namespace.character


def _is_of_page(namespace: Namespace) -> bool:
    return not namespace.user.startswith(API_PREFIX)


def _mtime(path: Path) -> int:
    try:
        return path.stat().st_mtime_ns
    except OSError:
        return 0
