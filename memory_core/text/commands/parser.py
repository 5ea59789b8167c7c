"""Parses commands to the memory at the beginning of a message, without a model.

Messages with a slash command are never stored as memories. Plain requests ("remember that …") are
part of the conversation and are stored. Two are not: requests for this chat only, which other
chats would recall (if such a message says more, it is stored as a whole), and messages that ask not
to be remembered.
"""

# ruff: noqa: RUF001  (Chinese punctuation)

import re
from collections.abc import Mapping
from dataclasses import replace

from ...domain.unicode import UNSEEN, without_unseen_start
from ...infra.lru_cache import memoize
from ..patterns import strip_marks
from ..sentences import sentences
from . import off_the_record, remember_requests, this_chat_only
from .command import ABOUT, KANA, needs_chinese_reply, set_phrase
from .command import Command as Command
from .command import CommandKind as CommandKind
from .command import PauseTarget as PauseTarget
from .forgetting import (
    LONGEST_WISH,
    asks_to_forget,
    may_ask_to_forget,
    subject_of_wish,
    tells_beside_wish,
)
from .near_misses import near_miss
from .pausing import asks_to_pause

_NAMES: Mapping[str, CommandKind] = {
    **dict.fromkeys(("off", "不记录", "不記錄"), CommandKind.OFF_THE_RECORD),
    **dict.fromkeys(("remember", "记住", "記住"), CommandKind.REMEMBER),
    **dict.fromkeys(("forget", "忘记", "忘記", "忘掉"), CommandKind.FORGET),
    **dict.fromkeys(("memories", "记忆", "記憶"), CommandKind.LIST_MEMORIES),
    **dict.fromkeys(("pause", "暂停", "暫停"), CommandKind.PAUSE),
    **dict.fromkeys(("resume", "恢复", "恢復"), CommandKind.RESUME),
    **dict.fromkeys(("help", "commands", "帮助", "幫助", "命令"), CommandKind.HELP),
}
# Arguments of /remember that apply to the whole character.
_MARKS: Mapping[str, CommandKind] = {
    **dict.fromkeys(("never", "never again", "永不", "从不", "從不"), CommandKind.NEVER_REMEMBER),
    **dict.fromkeys(("again", "恢复", "恢復"), CommandKind.REMEMBER_AGAIN),
}
_ASCII = "|".join(name for name in _NAMES if name.isascii())
_CHINESE = "|".join(name for name in _NAMES if not name.isascii())
_SLASH = re.compile(
    rf"""\s*[/／](?!off\ topic\b)
    (?:({_ASCII})(?=[\s{UNSEEN}:：,，;；。!！?？…]|\.\s|\.?\Z)|({_CHINESE})(?!了|的|吗|嗎|力|里|裡))
    \.?[\s{UNSEEN}:：,，;；。!！?？…]*""",
    re.IGNORECASE | re.VERBOSE,
)
_SLASHES = "/／"
_JAPANESE = "ja"
# A Japanese keyboard may write a command in wide letters.
_WIDE_COMMAND = re.compile(r"\A\s*[/／][Ａ-Ｚａ-ｚ]+")
_NARROW = {code: code - 0xFEE0 for code in range(ord("Ａ"), ord("ｚ") + 1)}
_PAUSE_TARGETS: Mapping[str, PauseTarget] = {
    **dict.fromkeys(("writing", "写入", "寫入", "记录", "記錄"), PauseTarget.WRITING),
    **dict.fromkeys(("recall", "回忆", "回憶"), PauseTarget.RECALL),
    **dict.fromkeys(("both", "all", "everything", "memory"), PauseTarget.BOTH),
    **dict.fromkeys(("全部", "所有", "记忆", "記憶"), PauseTarget.BOTH),
}
_NO_TARGET = ("", "一下")
# Words beside a target that change nothing: a pause lasts until /resume.
_PAUSE_WORDS = re.compile(
    r"""\b(?:now|please|pls|plz|here|(?:in\ |for\ )?this\ (?:chat|conversation)
    |for\ (?:now|a\ (?:bit|while|moment))|a\ bit
    |(?:for\ )?(?:\d{1,3}|an?|one|two|five|ten)\ ?(?:min(?:ute)?s?|h|hours?))\b""",
    re.VERBOSE,
)
_DEFAULT_PAUSE_TARGETS = {
    CommandKind.PAUSE: PauseTarget.WRITING,
    CommandKind.RESUME: PauseTarget.BOTH,
}
_LAST = re.compile(
    r"""(?:(?:the|my|our)\ )?(?:last|previous)(?:\ (?:one|message|exchange|memory))?|it
    |(?:that|this)(?:\ (?:one|message))?
    |(?:the\ last\ thing|what)\ i\ (?:just\ )?(?:said|told\ (?:you|u)|wrote)
    |(?:das|die)\ letzte|lo\ último|la\ última|le\ dernier|la\ dernière
    |последн(?:ее|юю)(?:\ (?:сообщение|запись|фразу))?
    |(?:上一|最[后後]一)[条條](?:消息|訊息|记忆|記憶)?|我?[刚剛]才(?:我?[说說]的[话話]?)?|它|[这這那][个個条條]
    |最後(?:の(?:やつ|もの|メッセージ|記憶|話)?)?|さっきの(?:話|やつ)?""",
    re.VERBOSE,
)
_ALL = re.compile(
    r"all|all\ of\ (?:it|them)|(?:all|my)\ memories"
    r"|everything(?:\ (?:you|u)\ know)?(?:\ (?:about|abt)\ me)?"
    r"|(?:das\ )?alles|(?:lo\ )?todo|todo\ lo\ que\ sabes|tout|tout\ ce\ que\ tu\ sais|вс[её]"
    r"|全部|所有|一切|(?:全部|所有)(?:记忆|記憶)|すべて|全て|ぜんぶ"
)
_THAT = re.compile(r"\A(?:that\b(?!['’])[\s,:]*|this\s{0,3}:\s*)", re.IGNORECASE)
_ABOUT_IT = re.compile(
    r"""\A(?:(?:what(?:ever)?|everything|anything|all)\s
      (?:(?:that\s)?(?:i|we)\s(?:just\s|ever\s)?(?:said|told\s(?:you|u)|mentioned)\s|(?:you|u)\s(?:know|remember)\s)?
      (?:about|abt)\s(?!(?:me|it|that|this|us|you|all)\b)
    |(?:that|about)\s+(?!(?:one|message)\b))(?=\S)""",
    re.IGNORECASE | re.VERBOSE,
)
_PLEASE_AT_THE_END = re.compile(
    r"(?<=\S)[\s,]+(?:please|pl[sz]+|thanks|thx)[\s.!]*\Z", re.IGNORECASE
)

_COURTESY = re.compile(
    r"""(?:[\W_]|thanks|thank\ you|thx|please|okay|ok
      |谢谢|謝謝|多谢|多謝|感谢|感謝|拜托|拜託|你|您|啦|了)*+""",
    re.IGNORECASE | re.VERBOSE,
)
_CACHE_CHARS = 2_000_000
_LONGEST_MERE_WISH = 200  # a longer message says more
# A quotation, or an action in asterisks.
_QUOTED = re.compile(r"\s*[\"“”„'‘‚«»「『*>]")


def parse_command(text: str, *, chat_language: str = "") -> Command | None:
    """Returns the slash command or plain request at the beginning of a message, or None.

    `chat_language` is that of the chat's other messages: 最後 may be Japanese or Chinese.
    """
    if command := parse_slash_command(text, chat_language=chat_language):
        return command
    said = strip_marks(text)
    if asks_to_pause(said):
        is_chinese = needs_chinese_reply(said)
        return Command(kind=CommandKind.PAUSE_IN_WORDS, model_text=text, is_chinese=is_chinese)
    command = (
        _parse_off_the_record(said) or _parse_plain_request(said) or _parse_wish_to_forget(said)
    )
    return command and replace(command, model_text=text)


def without_note(text: str, note: str) -> str:
    """Returns a message that asks to remember `note` without the sentences that have it."""
    return "\n".join(sentence for sentence in sentences(text) if note not in sentence)


def parse_slash_command(text: str, *, chat_language: str = "") -> Command | None:
    """Returns the slash command, or None for ordinary text and other programs' commands."""
    may_be_chinese = chat_language != _JAPANESE
    text = without_unseen_start(text)
    if text.lstrip()[:1] not in _SLASHES:
        return None
    text = _WIDE_COMMAND.sub(lambda wide: wide[0].translate(_NARROW), text, count=1)
    match = _SLASH.match(text)
    if match is None:
        return _parse_near_miss(text, is_chinese=may_be_chinese and needs_chinese_reply(text))
    kind = _NAMES[(match[1] or match[2]).lower()]
    argument = text[match.end() :].strip()
    if kind is CommandKind.REMEMBER:
        kind = _MARKS.get(_bare(argument), kind)
    if kind in _DEFAULT_PAUSE_TARGETS and _target(argument) not in (*_NO_TARGET, *_PAUSE_TARGETS):
        return None
    if kind is CommandKind.HELP and argument:
        return None  # "/help me with my essay" is no question about commands
    is_chinese = may_be_chinese and (bool(match[2]) or needs_chinese_reply(argument))
    is_here = False
    if kind is CommandKind.REMEMBER:
        argument, is_here = this_chat_only.strip_label(_THAT.sub("", argument, count=1))
    elif kind in ABOUT:
        argument = _ABOUT_IT.sub("", _PLEASE_AT_THE_END.sub("", argument))
    is_spoken = bool(argument) and kind in (CommandKind.OFF_THE_RECORD, CommandKind.REMEMBER)
    return Command(
        kind=kind,
        argument=argument,
        model_text=argument if is_spoken else set_phrase(kind, argument, is_chinese=is_chinese),
        has_no_other_text=not is_spoken,
        is_chinese=is_chinese,
        this_chat_only=is_here,
    )


def _parse_near_miss(text: str, *, is_chinese: bool) -> Command | None:
    meant = near_miss(text, is_chinese=is_chinese)
    if not meant:
        return None
    return Command(
        kind=CommandKind.NEAR_MISS,
        argument=meant,
        model_text=text,
        has_no_other_text=True,
        is_chinese=not meant.isascii(),
    )


def is_command_message(message: str) -> bool:
    """Returns True for a message with a slash command, which is never remembered."""
    said = without_unseen_start(message)
    return said[:1] in _SLASHES and parse_slash_command(said) is not None


def is_unstored_request(message: str) -> bool:
    """Returns True for a message that is not stored because of what it asks in plain words.

    It asks not to be remembered, or it asks for a note for this chat only and says nothing else.
    """
    said = strip_marks(message)
    request = None if asks_to_pause(said) else _parse_off_the_record(said)
    request = request or _parse_plain_request(said)
    if request is None:
        return False
    is_for_this_chat = request.this_chat_only and not request.has_more_text
    return is_for_this_chat or request.kind is CommandKind.OFF_THE_RECORD


def is_off_record_request(message: str) -> bool:
    """Returns True for a message that asks, in plain words, not to be remembered."""
    request = _parse_off_the_record(strip_marks(message))
    return request is not None and request.kind is CommandKind.OFF_THE_RECORD


def note_asked_for(message: str) -> str:
    """Returns what the message asks to remember, or an empty text."""
    command = parse_command(message)
    return command.argument if command and command.kind is CommandKind.REMEMBER else ""


def is_mere_wish_to_forget(message: str) -> bool:
    """Returns True for a message that asks in plain words to forget something, and says no more."""
    if not (may_ask_to_forget(message) or off_the_record.may_ask(message)):
        return False
    command = parse_command(message)
    if command is None or command.kind is not CommandKind.FORGET_IN_WORDS:
        return False
    return not command.has_more_text


@memoize(chars=_CACHE_CHARS)
def tells_only_of_the_memory(message: str) -> bool:
    """Returns True for a message that says nothing but what the memory should do.

    That is a slash command, or a wish in plain words to forget, or to remember nothing more.
    """
    if is_command_message(message):
        return True
    if len(message) > _LONGEST_MERE_WISH:
        return False
    return is_mere_wish_to_forget(message) or asks_to_pause(strip_marks(message))


def strip_command(text: str, *, chat_language: str = "") -> str:
    """Returns a message for the model, without its command."""
    command = parse_slash_command(text, chat_language=chat_language)
    return text if command is None else command.model_text


def pause_target(command: Command) -> PauseTarget:
    """Returns the target of a /pause or /resume."""
    return _PAUSE_TARGETS.get(_target(command.argument)) or _DEFAULT_PAUSE_TARGETS[command.kind]


def refers_to_last(argument: str) -> bool:
    """Returns True if the argument means the last memory ("it", "the last one")."""
    return _LAST.fullmatch(_bare(argument)) is not None


def refers_to_all(argument: str) -> bool:
    """Returns True if the argument means all memories, which no message may forget."""
    return _ALL.fullmatch(_bare(argument)) is not None


def _bare(argument: str) -> str:
    return (
        argument.strip(f"{remember_requests.PARTICLES}?,，")
        .removesuffix("please")
        .rstrip(" ,")
        .lower()
    )


def _target(argument: str) -> str:
    return _bare(_PAUSE_WORDS.sub("", _bare(argument))).strip()


def _parse_off_the_record(text: str) -> Command | None:
    """Returns the wish that this message be not remembered.

    Alone, it means something said before, which takes another command.
    """
    said = None if _QUOTED.match(text) else off_the_record.text_beside_request(text)
    if said is None:
        return None
    is_alone = _COURTESY.fullmatch(said) is not None
    return Command(
        kind=CommandKind.FORGET_IN_WORDS if is_alone else CommandKind.OFF_THE_RECORD,
        argument="" if is_alone else said,
        model_text=text,
        is_chinese=needs_chinese_reply(text),
    )


def _parse_plain_request(text: str) -> Command | None:
    request = None if _QUOTED.match(text) else remember_requests.find_request(text)
    if request is None:
        return None
    return Command(
        kind=CommandKind.REMEMBER,
        argument=request.argument,
        model_text=text,
        is_chinese=needs_chinese_reply(request.argument) and not KANA.search(text),
        this_chat_only=request.this_chat_only,
        has_more_text=_COURTESY.fullmatch(request.following_text) is None,
    )


def _parse_wish_to_forget(text: str) -> Command | None:
    if len(text) > LONGEST_WISH or not may_ask_to_forget(text):
        return None
    if _QUOTED.match(text) or not asks_to_forget(text):
        return None
    said = list(sentences(text))
    wishes = [one for one in said if asks_to_forget(one)] or [text]
    others = (one for one in said if one not in wishes and not _COURTESY.fullmatch(one))
    return Command(
        kind=CommandKind.FORGET_IN_WORDS,
        argument=subject_of_wish("\n".join(wishes)),
        model_text=text,
        is_chinese=needs_chinese_reply(text),
        has_more_text=any(others) or any(map(tells_beside_wish, wishes)),
    )
