"""The panel in which a person writes a note."""

from collections.abc import Sequence
from enum import StrEnum
from typing import Any

import gradio as gr

from ....domain.errors import LongTermMemoryError
from ....domain.namespaces import NAMED_SCOPES, Namespace, Scope, encode
from ....domain.records import MemoryKind
from ....host.hooks import Hooks
from ....text.locales import Words
from ..common import visible_namespaces
from ..common.header import InputValues, Panel, Refresh, Selection, TabHeader, Updates
from ..common.markup import failure, paragraph
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
    if not text.strip():
        raise NoteRefused(words["note_empty"])
    if space is None or reach not in offered_scopes(hooks):
        raise NoteRefused(words["note_nobody"])
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
    has_chats = namespace is not None and namespace.scope in NAMED_SCOPES
    return namespace if reach == NoteScope.THIS or (reach == NoteScope.CHAT and has_chats) else None


class NotesPanel(Panel):
    def __init__(self, header: TabHeader) -> None:
        self._header = header
        put = header.labels.bind
        self._help = gr.HTML()
        self._text = put(gr.Textbox(lines=2, elem_id="ltm-note-text"), "label", "note_text")
        self._scope = put(gr.Radio(elem_id="ltm-note-reach"), "label", "note_reach")
        self._add = header.button("note_run", "ltm-note")
        self._message = gr.HTML(elem_id="ltm-note-told")
        self.outputs = [self._help, self._text, self._message, self._scope]

    def wire(self, refresh: Refresh) -> None:
        outputs, inputs = [self._message, self._text], (self._text, self._scope)
        refresh.after(self._header.on(self._add.click, self._add_note, outputs, *inputs))

    def show(self, view: Selection) -> Updates:
        """Updates the panel; the last message and typed text stay with their character."""
        words, offered = view.words, offered_scopes(self._header.hooks)
        choices = [(words[f"note_{scope}"], scope.value) for scope in offered]
        chosen: dict[str, Any] = {} if view.is_refresh else {"value": _first_scope(view, offered)}
        return [
            paragraph(words["note_help"]),
            gr.skip() if view.is_refresh else "",
            gr.skip() if view.is_refresh else "",
            gr.update(choices=choices, **chosen),
        ]

    def _add_note(self, view: Selection, given: InputValues) -> Updates:
        """Adds a note and empties its field; the text of a note that failed stays."""
        text, reach = str(given[self._text] or ""), str(given[self._scope])
        try:
            told = add_note(
                self._header.hooks,
                view.chosen,
                text,
                reach,
                view.words,
                conversation=view.conversation,
            )
        except NoteRefused as exc:
            return [paragraph(str(exc)), gr.skip()]
        except LongTermMemoryError as exc:
            return [failure(exc, view.words), gr.skip()]
        return [paragraph(told), ""]


def _first_scope(view: Selection, offered: Sequence[NoteScope]) -> NoteScope | None:
    """Returns the scope chosen at first: the chosen character, else none beside others.

    A note meant for a new character must not reach everybody by default.
    """
    if view.chosen:
        return NoteScope.THIS
    return None if view.visible else offered[-1]
