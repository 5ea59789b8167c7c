"""Actions of the names panel, independent of Gradio: notes, renames, merges, other names."""

import json
from collections.abc import Sequence
from enum import StrEnum

from ....admin import names
from ....admin.administration import merge, rename
from ....domain.errors import ConfigError
from ....domain.namespaces import NAMED_SCOPES, Namespace, Scope, encode
from ....domain.records import MemoryKind
from ....host.hooks import Hooks
from ....memory.console import log_note
from ....memory.journal import EntryKind
from ....text.locales import Words
from ..common import visible_namespaces
from ..memories.wording import chat_name


class NoteScope(StrEnum):
    """The scope of a note; CHAT is only the open chat."""

    CHAT = "chat"
    THIS = "this"
    SHARED = "shared"
    WORLD = "world"


def offered_scopes(hooks: Hooks) -> list[NoteScope]:
    """Returns the offered scopes; on a shared page, a note for all users is not among them."""
    return [
        scope
        for scope in NoteScope
        if scope is not NoteScope.WORLD or not hooks.host.is_multi_user()
    ]


def add_note(
    hooks: Hooks,
    namespace: Namespace | None,
    text: str,
    reach: str,
    words: Words,
    *,
    conversation: str = "",
) -> str:
    """Saves a note and returns a message about it. `conversation` is the open chat.

    Raises LooksPrivate, StorageFailed, StorageLocked.
    """
    space = _target_namespace(namespace, reach)
    if space is None or not text.strip() or reach not in offered_scopes(hooks):
        return words["note_empty"]
    if not hooks.runtime.settings.ltm_writes.enabled:
        return words["note_off"]
    if hooks.runtime.pauses.is_never_remembered(hooks.runtime.memory.resolve(space)):
        return words("note_never", name=visible_namespaces.namespace_label(space, words))
    memory, chat = hooks.runtime.memory, conversation if reach == NoteScope.CHAT else ""
    text = memory.guard.admit_text(space, text.strip())
    if reach == NoteScope.CHAT and not chat:
        return words["no_chat_open"]
    if any(note.text == text for note in memory.always_in_prompt(space, chat)):
        return words["note_known"]
    memory.add_note(space, text, kind=MemoryKind.KNOWLEDGE, pinned=False, conversation=chat)
    log_note(space, text, hooks.runtime.settings)
    hooks.runtime.journal.add(space, EntryKind.NOTED, 1)
    hooks.runtime.schedule(space)
    key = "note_kept_chat" if chat else "note_kept"
    label = visible_namespaces.namespace_label(space, words)
    return words(key, name=label, chat=chat_name(encode(chat), words) if chat else "")


def _target_namespace(namespace: Namespace | None, reach: str) -> Namespace | None:
    if reach == NoteScope.WORLD:
        return Namespace.world()
    if reach == NoteScope.SHARED and namespace is not None and namespace.scope is not Scope.WORLD:
        return Namespace.shared(namespace.user)
    return namespace if reach == NoteScope.THIS or _is_chat_scope(namespace, reach) else None


def _is_chat_scope(namespace: Namespace | None, reach: str) -> bool:
    return reach == NoteScope.CHAT and namespace is not None and namespace.scope in NAMED_SCOPES


def merge_targets(spaces: Sequence[Namespace], namespace: Namespace | None) -> list[Namespace]:
    """Returns the namespaces with which this one can be merged."""
    if namespace is None or namespace.scope not in NAMED_SCOPES:
        return []
    return [space for space in spaces if space != namespace and space.scope in NAMED_SCOPES]


def new_name(hooks: Hooks, namespace: Namespace | None) -> str:
    """Returns the character's new name in the host, or an empty string if it was not renamed."""
    return hooks.synchronizer.renamed_to(namespace) if namespace else ""


def rename_character(hooks: Hooks, namespace: Namespace | None, name: str, words: Words) -> str:
    """Renames a character and returns a message. Raises ConfigError if the name is taken."""
    if namespace is None or namespace.scope is not Scope.CHARACTER or not name.strip():
        return words["rename_nobody"]
    new = Namespace(namespace.user, name.strip())
    if new == namespace:
        return words["rename_nobody"]
    rename(hooks, namespace, new)
    return words("renamed", old=namespace.character, new=new.character)


def merge_question(hooks: Hooks, namespace: Namespace, other: Namespace, words: Words) -> str:
    """Returns the question by which a merge has to be confirmed."""
    count, has = (hooks.runtime.memory.counts(space)["live"] for space in (namespace, other))
    old, new = (
        visible_namespaces.namespace_label(namespace, words),
        visible_namespaces.namespace_label(other, words),
    )
    return words("merge_question", count=count, others=has, old=old, new=new)


def merge_characters(hooks: Hooks, namespace: Namespace, other: Namespace, words: Words) -> str:
    """Merges one namespace into another and returns a message.

    Raises StorageFailed, StorageLocked.
    """
    count = hooks.runtime.memory.counts(namespace)["live"]
    saved = merge(hooks, namespace, other)
    old, new = (
        visible_namespaces.namespace_label(namespace, words),
        visible_namespaces.namespace_label(other, words),
    )
    return words("merged", count=count, old=old, new=new, path=saved)


def alias_choices(hooks: Hooks, words: Words) -> dict[str, str]:
    """Returns the label of each alias, by the key that the page sends back."""
    known = hooks.runtime.memory.aliases
    users = {_key(alias): (alias, name) for alias, name in known.users.items()}
    spaces = {
        _key(alias): (
            visible_namespaces.namespace_label(alias, words),
            visible_namespaces.namespace_label(name, words),
        )
        for alias, name in known.namespaces.items()
    }
    return {key: words("alias_means", alias=a, name=b) for key, (a, b) in (users | spaces).items()}


def drop_alias(hooks: Hooks, key: str | None, words: Words) -> str:
    """Removes an alias and returns a message. Raises ConfigError if there is no such alias."""
    memory = hooks.runtime.memory
    known: list[Namespace | str] = [*memory.aliases.users, *memory.aliases.namespaces]
    for name in known:
        if _key(name) == key:
            names.drop_alias(memory, name)
            label = (
                name if isinstance(name, str) else visible_namespaces.namespace_label(name, words)
            )
            return words("alias_dropped", alias=label)
    raise ConfigError("nobody has that name", key="name")


def _key(name: Namespace | str) -> str:
    return json.dumps(name) if isinstance(name, str) else visible_namespaces.namespace_key(name)
