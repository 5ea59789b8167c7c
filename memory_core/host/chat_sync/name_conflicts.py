"""Under which name a chat's file is kept: characters that mean the same may have chats of one name.

The host keeps each character's chats in a folder of its own, memories do not: whoever comes second
gets another name, which is kept in aliases.json.
"""

from collections.abc import Iterator
from pathlib import Path

from ...domain.namespaces import NAMED_SCOPES, Namespace, Scope, encode
from ...memory.long_term_memory import LongTermMemory
from ...storage.pauses import ChatPauses
from ..chat.paths import character_of, conversation_of, folder_of, user_data_of
from .chat_registry import ChatRegistry


def stored_name(memory: LongTermMemory, namespace: Namespace, folder: str | Path, name: str) -> str:
    """The conversation that the file of this name in this folder is, or was."""
    character = character_of(Path(folder)) or ""
    return memory.aliases.chat_name(namespace, character, conversation_of(name))


def assign_unique_name(
    memory: LongTermMemory,
    pauses: ChatPauses,
    registry: ChatRegistry,
    namespace: Namespace,
    path: Path,
) -> None:
    """Before a chat is written: it gets a name of its own where another character that means the
    same has one of this name. What is paused under the old one is so under the new one. Raises
    StorageFailed.
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
    """Whether a chat lies there that is theirs and is kept as it is called."""
    registered = registry.get(other.parent, other.name)
    owner = memory.resolve(registered.namespace) if registered and registered.namespace else None
    if owner != namespace or not other.exists():
        return False
    return stored_name(memory, namespace, other.parent, other.name) == conversation_of(other.name)


def _same_name_paths(memory: LongTermMemory, namespace: Namespace, path: Path) -> Iterator[Path]:
    """Where the chats of this name lie of all others that mean the same."""
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
