"""One call of the prompt hook, parsed once for all later steps, and the owner of its chat."""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ...domain.errors import HostError, UnknownUser
from ...domain.namespaces import Namespace, api_user, page_user, signed_in_user
from ...domain.records import Exchange
from ...prompt.window import Window, keep_latest_exchanges
from ...recall.pipeline import Pipeline
from ...storage.pauses import UNNAMED
from ...text.commands.parser import Command, CommandKind, is_off_record_request
from .chat_file import conversation_of
from .exchanges import Speakers, to_exchanges
from .host_protocol import Host, State

INCOGNITO = "incognito-"
_DEFAULT_CHARACTER = "Assistant"
UNLIMITED = 1 << 30
_ROWS_LOOKED_BACK = 4  # tool calls are rows of their own


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
    return UNNAMED + hashlib.sha256("\x1f".join(parts).encode("utf-8", "replace")).hexdigest()[:32]


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatRef:
    """A conversation and its speakers, as needed to save it."""

    namespace: Namespace
    conversation: str
    speakers: Speakers


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnRequest:
    """A message and its chat, as the prompt hook got them.

    `raw_window` is the chat as it is, `prompt_window` the chat without memory commands.
    `notices` tell the model the outcome of `command`. `is_unreadable`: the host's rows have an
    unknown structure.
    `left_out` are the ids of memories excluded from this chat. `busy_reason` says why memories are
    not available in time, if so. `pipeline` chooses the memories of only this message; None means
    the configured one. `most_turns` limits the exchanges that the prompt shows. `also_shown`
    is the exchange of the message itself if the client sends an answer with it. `is_unstored`: the
    caller stores neither the message nor its answer.
    """

    raw_window: Window
    prompt_window: Window
    state: dict[str, Any]
    history: Mapping[str, Any]
    identity: ChatIdentity
    speakers: Speakers
    exchanges: Sequence[Exchange]
    is_tool_turn: bool = False
    is_unreadable: bool = False
    is_recall_off: bool = False
    is_unstored: bool = False
    command: Command | None = None
    notices: tuple[str, ...] = ()
    left_out: frozenset[str] = frozenset()
    busy_reason: str = ""
    pipeline: Pipeline | None = None
    most_turns: int | None = None
    also_shown: tuple[Exchange, ...] = ()

    @property
    def namespace(self) -> Namespace:
        return self.identity.namespace

    @property
    def conversation(self) -> str:
        return self.identity.conversation

    @property
    def chat_ref(self) -> ChatRef:
        return ChatRef(
            namespace=self.namespace, conversation=self.conversation, speakers=self.speakers
        )

    @property
    def previous_exchange(self) -> Exchange | None:
        """The last exchange before the message, if the last few rows hold one on record."""
        said = to_exchanges(self.raw_window.past_rows[-_ROWS_LOOKED_BACK:], self.speakers)
        return next((one for one in reversed(said) if not is_off_record_request(one.user)), None)

    @property
    def is_off_record(self) -> bool:
        return self.command is not None and self.command.kind is CommandKind.OFF_THE_RECORD

    @property
    def may_be_traced(self) -> bool:
        """Returns whether a trace may be kept; not for text being forgotten or off the record."""
        private = (CommandKind.OFF_THE_RECORD, CommandKind.FORGET)
        return not (self.identity.is_incognito or (self.command and self.command.kind in private))

    @property
    def token_limit(self) -> int:
        """Returns the largest number of tokens that the prompt may have."""
        length = int(self.state.get("truncation_length") or 0)
        if not length:
            return UNLIMITED
        return max(1, length - int(self.state.get("max_new_tokens") or 0))

    def with_recent_turns(self, recent_turns: int | None) -> Window:
        """Returns the window with the latest exchanges; None takes the number from the state."""
        wanted = self.state.get("recent_turns") if recent_turns is None else recent_turns
        limits = [int(limit) for limit in (wanted, self.most_turns) if limit is not None]
        return (
            keep_latest_exchanges(self.prompt_window, min(limits)) if limits else self.prompt_window
        )
