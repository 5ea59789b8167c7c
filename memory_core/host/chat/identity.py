"""Reads the owner of a chat from the host's state."""

import hashlib
from dataclasses import dataclass
from pathlib import Path

from ...domain.errors import HostError, UnknownUser
from ...domain.namespaces import Namespace, api_user, page_user, signed_in_user
from ...domain.records import Exchange
from .host_protocol import Host, State
from .paths import conversation_of

INCOGNITO = "incognito-"
_DEFAULT_CHARACTER = "Assistant"


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatIdentity:
    """The owner and the name of a chat.

    `conversation` is empty for a chat without a name, until it gets that of hashed_conversation().
    The host saves the chat to `chat_file`.
    """

    namespace: Namespace
    conversation: str = ""
    chat_file: Path | None = None
    is_api: bool = False
    is_incognito: bool = False


def identify_chat(state: State, host: Host, *, api_default_user: str) -> ChatIdentity:
    """Identifies the chat by the state, and by the signed-in user of a shared host.

    Raises UnknownUser, with which memory stays off.
    """
    is_api = "unique_id" not in state and "character_menu" not in state
    unique_id = str(state.get("unique_id") or "")
    if is_api:
        user = api_user(str(state.get("user") or ""), api_default_user)
        reason = "the API call names no user (OpenAI's `user` field) and api.default_user is empty"
    elif host.is_multi_user():
        try:
            user = signed_in_user(host.signed_in())
        except HostError as exc:
            raise UnknownUser(str(exc), is_api=False) from exc
        reason = "several people share this page (--multi-user) and nobody is signed in"
    else:
        user, reason = page_user(str(state.get("user_menu") or "")), ""
    if user is None:
        raise UnknownUser(reason, is_api=is_api)
    incognito = unique_id.startswith(INCOGNITO)
    file = None if incognito else host.chat_file(state)
    return ChatIdentity(
        namespace=_namespace(user, state),
        conversation=unique_id or (conversation_of(file.name) if file else ""),
        chat_file=file,
        is_api=is_api,
        is_incognito=incognito,
    )


def _namespace(user: str, state: State) -> Namespace:
    if state.get("mode", "instruct") == "instruct":
        return Namespace.instruct(user)
    names = (state.get("character_menu"), state.get("character"), state.get("name2"))
    character = next((str(name) for name in names if name), _DEFAULT_CHARACTER)
    return Namespace(user, character)


def hashed_conversation(namespace: Namespace, first: Exchange) -> str:
    """Names a chat without a name by a hash of its owner and its first exchange."""
    parts = (namespace.user, namespace.character, namespace.scope, first.key)
    return "h-" + hashlib.sha256("\x1f".join(parts).encode("utf-8", "replace")).hexdigest()[:32]
