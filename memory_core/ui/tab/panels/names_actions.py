"""What the panel for names does, apart from the page: notes, other names, and words on them."""

import json
from collections.abc import Sequence
from enum import StrEnum

from ....admin import names
from ....admin.administration import merge, rename
from ....domain.errors import ConfigError
from ....domain.namespaces import NAMED_SCOPES, Namespace, Scope
from ....domain.records import MemoryKind
from ....host.hooks import Hooks
from ....memory.console import log_note
from ....text.locales import Words
from ..common import visible_namespaces


class NoteScope(StrEnum):
    """For whom a note holds; CHAT: in the chat talked in last alone."""

    CHAT = "chat"
    THIS = "this"
    SHARED = "shared"
    WORLD = "world"


def offered_scopes(hooks: Hooks) -> list[NoteScope]:
    """On a shared page nobody writes what others read."""
    return [it for it in NoteScope if it is not NoteScope.WORLD or not hooks.host.is_multi_user()]


def add_note(hooks: Hooks, namespace: Namespace | None, text: str, reach: str, words: Words) -> str:
    """Returns what is said of it. Raises StorageFailed, StorageLocked."""
    space = _target_namespace(namespace, reach)
    if space is None or not text.strip() or reach not in offered_scopes(hooks):
        return words["note_empty"]
    if not hooks.runtime.settings.ltm_writes.enabled:
        return words["note_off"]
    if hooks.runtime.pauses.is_never_remembered(hooks.runtime.memory.resolve(space)):
        return words("note_never", name=visible_namespaces.namespace_label(space, words))
    memory, chat = hooks.runtime.memory, ""
    if reach == NoteScope.CHAT:
        chat = visible_namespaces.last_chat(hooks, namespace)
        if not chat:
            return words["no_last_chat"]
    if any(it.text == text.strip() for it in memory.always_in_prompt(space, chat)):
        return words["note_known"]
    memory.add_note(space, text.strip(), kind=MemoryKind.KNOWLEDGE, pinned=False, conversation=chat)
    log_note(space, text.strip(), hooks.runtime.settings)
    hooks.runtime.schedule(space)
    key = "note_kept_chat" if chat else "note_kept"
    return words(key, name=visible_namespaces.namespace_label(space, words), chat=chat)


def _target_namespace(namespace: Namespace | None, reach: str) -> Namespace | None:
    if reach == NoteScope.WORLD:
        return Namespace.world()
    if reach == NoteScope.SHARED and namespace is not None and namespace.scope is not Scope.WORLD:
        return Namespace.shared(namespace.user)
    return namespace if reach == NoteScope.THIS or _is_chat_scope(namespace, reach) else None


def _is_chat_scope(namespace: Namespace | None, reach: str) -> bool:
    return reach == NoteScope.CHAT and namespace is not None and namespace.scope in NAMED_SCOPES


def merge_targets(spaces: Sequence[Namespace], namespace: Namespace | None) -> list[Namespace]:
    """Whom this one may mean."""
    if namespace is None or namespace.scope not in NAMED_SCOPES:
        return []
    return [it for it in spaces if it != namespace and it.scope in NAMED_SCOPES]


def new_name(hooks: Hooks, namespace: Namespace | None) -> str:
    """What the host calls this character since its folder was renamed; empty if it was not."""
    return hooks.synchronizer.renamed_to(namespace) if namespace else ""


def rename_character(hooks: Hooks, namespace: Namespace | None, name: str, words: Words) -> str:
    """Raises ConfigError where the name is taken."""
    if namespace is None or namespace.scope is not Scope.CHARACTER or not name.strip():
        return words["rename_nobody"]
    new = Namespace(namespace.user, name.strip())
    if new == namespace:
        return words["rename_nobody"]
    rename(hooks, namespace, new)
    return words("renamed", old=namespace.character, new=new.character)


def merge_question(hooks: Hooks, namespace: Namespace, other: Namespace, words: Words) -> str:
    """What a merge would do."""
    count, has = (hooks.runtime.memory.counts(it)["live"] for it in (namespace, other))
    old, new = (
        visible_namespaces.namespace_label(namespace, words),
        visible_namespaces.namespace_label(other, words),
    )
    return words("merge_question", count=count, others=has, old=old, new=new)


def merge_characters(hooks: Hooks, namespace: Namespace, other: Namespace, words: Words) -> str:
    """Raises StorageFailed, StorageLocked."""
    count = hooks.runtime.memory.counts(namespace)["live"]
    saved = merge(hooks, namespace, other)
    old, new = (
        visible_namespaces.namespace_label(namespace, words),
        visible_namespaces.namespace_label(other, words),
    )
    return words("merged", count=count, old=old, new=new, path=saved)


def alias_choices(hooks: Hooks, words: Words) -> dict[str, str]:
    """Each other name as a page sends it back, and how it is shown."""
    known = hooks.runtime.memory.aliases
    found = {_key(it): (it, of) for it, of in known.users.items()}
    told = {
        _key(it): (
            visible_namespaces.namespace_label(it, words),
            visible_namespaces.namespace_label(of, words),
        )
        for it, of in known.namespaces.items()
    }
    return {key: words("alias_means", alias=a, name=b) for key, (a, b) in (found | told).items()}


def drop_alias(hooks: Hooks, key: str | None, words: Words) -> str:
    """Lets this name mean itself. Raises ConfigError where nobody has it."""
    memory = hooks.runtime.memory
    known: list[Namespace | str] = [*memory.aliases.users, *memory.aliases.namespaces]
    for name in known:
        if _key(name) == key:
            names.drop_alias(memory, name)
            told = (
                name if isinstance(name, str) else visible_namespaces.namespace_label(name, words)
            )
            return words("alias_dropped", alias=told)
    raise ConfigError("nobody has that name", key="name")


def _key(name: Namespace | str) -> str:
    return json.dumps(name) if isinstance(name, str) else visible_namespaces.namespace_key(name)
