"""A message of a chat as the hook got it, read once for all that follows."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ...domain.records import Exchange
from ...prompt.fit_window import keep_latest_exchanges
from ...prompt.window import Window
from ...text.commands.parser import Command, CommandKind
from .exchanges import Speakers, to_exchanges
from .identity import ChatIdentity

UNLIMITED = 1 << 30
_ROWS_LOOKED_BACK = 4  # rows; tool calls are rows of their own


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnRequest:
    """A message as the hook got it, read once.

    `heard` is the chat as it stands, `window` the same as the model shall read it, and `notices`
    say to the model what came of the message's `command`. `before` holds the last exchange before
    it, if any. `is_recall_off`: no memory is to come into this chat. `is_unknown`: nobody can read
    its rows. `busy` says why memories cannot be had in time, if so.
    """

    raw_window: Window
    prompt_window: Window
    state: dict[str, Any]
    history: Mapping[str, Any]
    identity: ChatIdentity
    speakers: Speakers
    conversation: str
    exchanges: Sequence[Exchange]
    previous_exchanges: Sequence[Exchange] = ()
    is_tool_turn: bool = False
    is_unreadable: bool = False
    is_recall_off: bool = False
    command: Command | None = None
    notices: tuple[str, ...] = ()
    busy_reason: str = ""

    @property
    def is_off_record(self) -> bool:
        return self.command is not None and self.command.kind is CommandKind.OFF_THE_RECORD

    @property
    def wants_recall(self) -> bool:
        """Whether there is more to the message than what it says to the memory."""
        return not (self.is_recall_off or (self.command and self.command.has_no_other_text))

    @property
    def may_be_traced(self) -> bool:
        """A trace must not show what was forgotten just now, nor what is off the record."""
        private = (CommandKind.OFF_THE_RECORD, CommandKind.FORGET)
        return not (self.identity.is_incognito or (self.command and self.command.kind in private))

    @property
    def token_limit(self) -> int:
        """How many tokens the prompt may have."""
        length = int(self.state.get("truncation_length") or 0)
        if not length:
            return UNLIMITED
        return max(1, length - int(self.state.get("max_new_tokens") or 0))

    def with_recent_turns(self, recent_turns: int | None) -> Window:
        """The window with so many of the latest exchanges; None leaves it to the page's state."""
        wanted = self.state.get("recent_turns") if recent_turns is None else recent_turns
        return (
            self.prompt_window
            if wanted is None
            else keep_latest_exchanges(self.prompt_window, int(wanted))
        )


def last_exchange_before(window: Window, cast: Speakers) -> Sequence[Exchange]:
    """The last exchange before the message, if one of the last rows holds any."""
    return to_exchanges(window.past_rows[-_ROWS_LOOKED_BACK:], cast)[-1:]
