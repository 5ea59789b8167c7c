"""A command to the memory: its kind, its argument, and what the model reads of it."""

# ruff: noqa: RUF001  (Chinese punctuation)

import re
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

HAN = re.compile("[\u3400-\u9fff]")
KANA = re.compile("[\u3041-\u30ff]")
# Sentences in place of a bare command, in English and in Chinese, by the value of its kind. Some
# chat templates refuse an empty message.
_ALONE: Mapping[str, tuple[str, str]] = {
    "off": ("This stays off the record.", "这条不要记录。"),
    "remember": ("Please remember something.", "请记住一件事。"),
    "forget": ("Please forget something.", "请忘掉一件事。"),
    "memories": ("What do you remember?", "你记得什么？"),
    "pause": ("Please pause your memory in this chat.", "请在这个对话中暂停记忆。"),
    "resume": ("Please resume your memory in this chat.", "请在这个对话中恢复记忆。"),
    "never": ("Please remember nothing from now on.", "请从现在起什么都不要记住。"),
    "again": ("Please remember again from now on.", "请从现在起重新开始记住。"),
    "help": ("Which commands does your memory have?", "你的记忆有哪些命令？"),
}
ABOUT: Mapping[str, tuple[str, str]] = {
    "forget": ("Please forget: {}", "请忘掉：{}"),
    "memories": ("What do you remember about this: {}", "关于这个你记得什么：{}"),
}


class CommandKind(StrEnum):
    OFF_THE_RECORD = "off"
    REMEMBER = "remember"
    CORRECT_NOTE = "correct note"  # `argument` is the corrected note
    FORGET = "forget"
    FORGET_IN_WORDS = "forget in words"  # forgets nothing; the model says which command does
    LIST_MEMORIES = "memories"
    PAUSE = "pause"
    PAUSE_IN_WORDS = "pause in words"  # pauses nothing; the model says which command does
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


def is_set_phrase(text: str) -> bool:
    """Returns whether the text stands in place of a command, as set_phrase() puts it."""
    alone = (phrase for phrases in _ALONE.values() for phrase in phrases)
    about = tuple(form.partition("{")[0] for forms in ABOUT.values() for form in forms)
    return text in alone or text.startswith(about)


def set_phrase(kind: str, argument: str, *, is_chinese: bool) -> str:
    """Returns the sentence for a command of this kind, with its argument if there is one."""
    if argument and kind in ABOUT:
        return ABOUT[kind][is_chinese].format(argument)
    return _ALONE[kind][is_chinese]


def needs_chinese_reply(text: str) -> bool:
    """Returns whether the reply to a command with this text is in Chinese."""
    return bool(HAN.search(text)) and not KANA.search(text)
