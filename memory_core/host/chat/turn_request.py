"""One call of the prompt hook, parsed once for all later steps."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ...domain.namespaces import Namespace
from ...domain.records import Exchange
from ...prompt.window import Window, keep_latest_exchanges
from ...recall.pipeline import Pipeline
from ...text.commands.parser import Command, CommandKind, is_off_record_request
from .exchanges import Speakers, to_exchanges
from .identity import ChatIdentity

UNLIMITED = 1 << 30
_ROWS_LOOKED_BACK = 4  # tool calls are rows of their own


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
    `notices` tell the model the outcome of `command`. `previous_exchanges` has at most the last
    exchange before the message. `is_unreadable`: the host's rows have an unknown structure.
    `left_out` are the ids of memories excluded from this chat. `busy_reason` says why memories are
    not available in time, if so. `pipeline` chooses the memories of only this message; None means
    the configured one. `most_turns` limits the exchanges that the prompt shows. `also_shown`
    is the exchange of the message itself if the client sends an answer with it.
    """

    raw_window: Window
    prompt_window: Window
    state: dict[str, Any]
    history: Mapping[str, Any]
    identity: ChatIdentity
    speakers: Speakers
    exchanges: Sequence[Exchange]
    previous_exchanges: Sequence[Exchange] = ()
    is_tool_turn: bool = False
    is_unreadable: bool = False
    is_recall_off: bool = False
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


def last_exchange_before(window: Window, speakers: Speakers) -> Sequence[Exchange]:
    """Returns the last exchange before the message, if the last few rows hold one on record."""
    said = to_exchanges(window.past_rows[-_ROWS_LOOKED_BACK:], speakers)
    return [exchange for exchange in said if not is_off_record_request(exchange.user)][-1:]
