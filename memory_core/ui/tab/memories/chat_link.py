"""The button that opens the chat of a memory, on a page that can open chats.

Such a page has a hidden field that takes the action. It names the field in its host's attribute
`open_chat_field`; other hosts have none, and their cards show the chat's name alone.
"""

from dataclasses import dataclass

from ....domain.namespaces import Namespace, Scope, decode
from ....domain.records import Memory
from ....host.hooks import Hooks
from ....text.locales import Words
from ..common.actions import button_html


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatLink:
    """Opens chats of this namespace through a field of the page."""

    field_id: str
    namespace: Namespace
    label: str

    def button(self, memory: Memory) -> str:
        """Returns the button, or nothing for a memory that was said in no chat of this page."""
        chat = decode(memory.conversation) if memory.exchange else None
        if not chat:
            return ""
        own = {"user": self.namespace.user, "character": self.namespace.character}
        return button_html(self.field_id, "open_chat", self.label, chat=chat, **own)


def chat_link(hooks: Hooks, namespace: Namespace, words: Words) -> ChatLink | None:
    """Returns the link to this namespace's chats; None if the page cannot open them."""
    field_id = getattr(hooks.host, "open_chat_field", "")
    if not field_id or namespace.scope is not Scope.CHARACTER:
        return None
    return ChatLink(field_id=field_id, namespace=namespace, label=words["open_chat"])
