"""The chat that is open on the host's page, whose memories the tab shows first."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ....domain.errors import LongTermMemoryError
from ....domain.namespaces import Namespace
from ....host.hooks import Hooks
from .visible_namespaces import namespace_key


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenChat:
    """A chat's namespace, and its name; this is empty for a new or incognito one."""

    namespace: Namespace | None = None
    conversation: str = ""
    is_incognito: bool = False

    @property
    def key(self) -> str:
        return namespace_key(self.namespace) if self.namespace else ""

    def is_with(self, namespace: Namespace | None) -> bool:
        """Returns whether this is a chat of the namespace."""
        return namespace is not None and self.namespace == namespace


NO_CHAT = OpenChat()


def page_components(hooks: Hooks) -> Mapping[str, Any]:
    """Returns the host's components that identify the open chat, by the names of its state."""
    found = getattr(hooks.host, "page_components", None)
    return found() if found else {}


def read_open_chat(
    hooks: Hooks, components: Mapping[str, Any], given: Mapping[Any, Any]
) -> OpenChat:
    """Returns the open chat from the values of `components`; NO_CHAT if they identify none."""
    if not components:
        return NO_CHAT
    try:
        chat = hooks.identify_chat({name: given[part] for name, part in components.items()})
    except LongTermMemoryError:
        return NO_CHAT
    return OpenChat(
        namespace=chat.namespace,
        conversation="" if chat.is_incognito else chat.conversation,
        is_incognito=chat.is_incognito,
    )


def conversation_of(hooks: Hooks, chat: OpenChat, namespace: Namespace | None) -> str:
    """Returns the open chat with this character, else the last active one; else ""."""
    if namespace is None:
        return ""
    if chat.is_with(namespace):
        return chat.conversation
    last = hooks.last_chats.get(namespace)
    return last.conversation if last else ""
