"""The button that opens the chat of a memory, on a page that can open chats.

Hosts offer one of two ways. The attribute `open_chat_field` names a hidden field of the page that
receives the action, for the chats of any character. `open_chat_list` names the page's list of the
chats with the open character; page.js clicks the chat there, as a person would. On any other
page the cards only show the chat's name.
"""

from dataclasses import dataclass
from typing import Protocol

from ....domain.namespaces import Namespace, Scope, decode
from ....domain.records import Memory
from ....host.hooks import Hooks
from ....text.locales import Words
from ..common.actions import button_html
from ..common.markup import escaped


class ChatLink(Protocol):
    """Draws the button that opens the chat of a memory."""

    def button(self, memory: Memory) -> str:
        """Returns the button, or "" for a memory that comes from no chat of this page."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class FieldLink:
    """Opens chats of this namespace through a field of the page."""

    field_id: str
    namespace: Namespace
    label: str

    def button(self, memory: Memory) -> str:
        chat = _chat_of(memory)
        if not chat:
            return ""
        own = {"user": self.namespace.user, "character": self.namespace.character}
        return button_html(self.field_id, "open_chat", self.label, chat=chat, **own)


@dataclass(frozen=True, slots=True, kw_only=True)
class ListLink:
    """Opens chats by the page's own list; `missing` is the text for a chat that is not in it."""

    list_id: str
    label: str
    missing: str

    def button(self, memory: Memory) -> str:
        chat = _chat_of(memory)
        if not chat:
            return ""
        return (
            f'<button type="button" class="ltm-button" data-ltm-chat="{_quoted(chat)}" '
            f'data-ltm-in="{_quoted(self.list_id)}">{escaped(self.label)}</button>'
            f'<span role="status" class="ltm-muted" data-ltm-missing="{_quoted(self.missing)}">'
            "</span>"
        )


def chat_link(
    hooks: Hooks, namespace: Namespace, words: Words, *, is_open: bool
) -> ChatLink | None:
    """Returns the link to this namespace's chats; None if the page cannot open them.

    `is_open`: the chat that is open on the page is one of this namespace.
    """
    field_id = getattr(hooks.host, "open_chat_field", "")
    if field_id and namespace.scope is Scope.CHARACTER:
        return FieldLink(field_id=field_id, namespace=namespace, label=words["open_chat"])
    list_id = getattr(hooks.host, "open_chat_list", "")
    if list_id and is_open:
        missing = words["open_chat_missing"]
        return ListLink(list_id=list_id, label=words["open_chat"], missing=missing)
    return None


def _chat_of(memory: Memory) -> str:
    return (decode(memory.conversation) or "") if memory.exchange else ""


def _quoted(text: str) -> str:
    return escaped(text)
