"""Resolves name conflicts between the chats of characters that share one namespace.

The host has one chat folder per character, but aliases of a character share their memories. The
second chat of the same name gets a new name, which is saved in aliases.json.
"""

from collections.abc import Iterator
from pathlib import Path

from ...domain.namespaces import NAMED_SCOPES, Namespace, Scope, encode
from ...memory.long_term_memory import LongTermMemory
from ...storage.pauses import ChatPauses
from ..chat.paths import character_of, conversation_of, folder_of, user_data_of
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
