"""A command to the memory: its kind, its argument, and what the model reads of it."""

from dataclasses import dataclass
from enum import StrEnum


class CommandKind(StrEnum):
    OFF_THE_RECORD = "off"
    REMEMBER = "remember"
    FORGET = "forget"
    FORGET_IN_WORDS = "forget in words"  # forgets nothing; the model says which command does
    LIST_MEMORIES = "memories"
    PAUSE = "pause"
    RESUME = "resume"
    NEVER_REMEMBER = "never"  # /remember never: for the character, in all chats
    REMEMBER_AGAIN = "again"
    HELP = "help"
    NEAR_MISS = "near miss"  # `argument` is the command that may be meant


class PauseTarget(StrEnum):
    """The part of the memory that /pause and /resume switch."""

    WRITING = "writing"
    RECALL = "recall"
    BOTH = "both"


@dataclass(frozen=True, slots=True, kw_only=True)
class Command:
    """A command with its `argument` and the sentence for the model, which is never empty.

    `has_no_other_text`: the message holds only the command, so `model_text` is a set phrase.
    `this_chat_only`: the statement applies to this chat only. `has_more_text`: the message says
    more than the request.
    """

    kind: CommandKind
    argument: str = ""
    model_text: str
    has_no_other_text: bool = False
    is_chinese: bool = False
    this_chat_only: bool = False
    has_more_text: bool = False

    @property
    def language(self) -> str:
        """Language of the reply."""
        return "zh" if self.is_chinese else "en"
