"""The button that opens the chat of a memory, on a page that can open chats.

Hosts offer one of two ways. The attribute `open_chat_field` names a hidden field of the page that
receives the action, for the chats of any character. `open_chat_list` names the page's list of the
chats with the open character; page.js clicks the chat there, as a person would. On any other
page the cards only show the chat's name.
"""

from collections.abc import Callable

from ....domain.namespaces import Namespace, Scope, decode
from ....domain.records import Memory
from ....host.hooks import Hooks
from ....text.locales import Words
from ..common.actions import button_html
from ..common.markup import escaped

ChatLink = Callable[[str], str]
"""Draws the button that opens the chat of this name."""


def chat_link(
    hooks: Hooks, namespace: Namespace, words: Words, *, is_open: bool
) -> ChatLink | None:
    """Returns the link to this namespace's chats; None if the page cannot open them.

    `is_open`: the chat that is open on the page is one of this namespace.
    """
    field_id = getattr(hooks.host, "open_chat_field", "")
    if field_id and namespace.scope is Scope.CHARACTER:
        own = {"user": namespace.user, "character": namespace.character}
        label = words["open_chat"]
        return lambda chat: button_html(field_id, "open_chat", label, chat=chat, **own)
    list_id = getattr(hooks.host, "open_chat_list", "")
    return (lambda chat: _list_button(list_id, chat, words)) if list_id and is_open else None


def chat_button(memory: Memory, link: ChatLink | None) -> str:
    """Returns the button, or "" for a memory that comes from no chat of this page."""
    chat = decode(memory.conversation) if memory.exchange else ""
    return link(chat) if link and chat else ""


def _list_button(list_id: str, chat: str, words: Words) -> str:
    """Returns the button, with a text for a chat that is not in the page's list."""
    return (
        f'<button type="button" class="ltm-button" data-ltm-chat="{escaped(chat)}" '
        f'data-ltm-in="{escaped(list_id)}">{escaped(words["open_chat"])}</button><span '
        f'role="status" class="ltm-muted" data-ltm-missing="{escaped(words["open_chat_missing"])}">'
        "</span>"
    )
