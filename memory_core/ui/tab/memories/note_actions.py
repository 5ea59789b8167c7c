"""Saves a note that a person writes, independent of Gradio."""

from enum import StrEnum

from ....domain.namespaces import NAMED_SCOPES, Namespace, Scope, encode
from ....domain.records import MemoryKind
from ....host.hooks import Hooks
from ....text.locales import Words
from ..common import visible_namespaces
from ..common.wording import chat_name


class NoteRefused(Exception):
    """A note was not saved; says why in the reader's words."""


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

    Raises NoteRefused, LooksPrivate, StorageFailed, StorageLocked.
    """
    space = _target_namespace(namespace, reach)
    if space is None or not text.strip() or reach not in offered_scopes(hooks):
        raise NoteRefused(words["note_empty"])
    if not hooks.runtime.settings.ltm_writes.enabled:
        raise NoteRefused(words["note_off"])
    label = visible_namespaces.labels_among(hooks.runtime.memory.namespaces(), words)(space)
    if hooks.runtime.pauses.is_never_remembered(hooks.runtime.memory.resolve(space)):
        raise NoteRefused(words("note_never", name=label))
    memory, chat = hooks.runtime.memory, conversation if reach == NoteScope.CHAT else ""
    text = memory.guard.admit_text(space, text.strip())
    if reach == NoteScope.CHAT and not chat:
        raise NoteRefused(words["no_chat_open"])
    if any(note.text == text for note in memory.always_in_prompt(space, chat)):
        return words["note_known"]
    memory.add_note(space, text, kind=MemoryKind.KNOWLEDGE, pinned=False, conversation=chat)
    hooks.runtime.journal.add_note(space, text)
    hooks.runtime.schedule(space)
    key = "note_kept_chat" if chat else "note_kept"
    return words(key, name=label, chat=chat_name(encode(chat), words) if chat else "")


def _target_namespace(namespace: Namespace | None, reach: str) -> Namespace | None:
    if reach == NoteScope.WORLD:
        return Namespace.world()
    if reach == NoteScope.SHARED and namespace is not None and namespace.scope is not Scope.WORLD:
        return Namespace.shared(namespace.user)
    return namespace if reach == NoteScope.THIS or _is_chat_scope(namespace, reach) else None


def _is_chat_scope(namespace: Namespace | None, reach: str) -> bool:
    return reach == NoteScope.CHAT and namespace is not None and namespace.scope in NAMED_SCOPES
