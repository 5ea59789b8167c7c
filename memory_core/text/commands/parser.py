"""What a user says to the memory itself, read from how the message begins, without a model.

Commands with a slash stand alone: their rows are no memories. "Remember that …" and its like are
part of the talk and stay in it. A message that says nothing but what shall hold in this chat alone
is no memory either, since it would be recalled in others; one that says more is, as a whole.
"""

# ruff: noqa: RUF001  (Chinese punctuation)

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from itertools import takewhile

from ...domain.records import Exchange
from ..sentences import sentences
from . import chinese, english, this_chat_only


class CommandKind(StrEnum):
    OFF_THE_RECORD = "off"
    REMEMBER = "remember"
    FORGET = "forget"
    LIST_MEMORIES = "memories"
    PAUSE = "pause"
    RESUME = "resume"
    NEVER_REMEMBER = "never"  # /remember never: of the character, in all chats
    REMEMBER_AGAIN = "again"


class PauseTarget(StrEnum):
    """What /pause and /resume are about."""

    WRITING = "writing"
    RECALL = "recall"
    BOTH = "both"


@dataclass(frozen=True, slots=True, kw_only=True)
class Command:
    """`argument` is what the command is about, `rest` the sentence for the model, never empty.

    `is_bare`: the message holds nothing but the command, so that `rest` had to be made. `is_here`:
    what is to be remembered holds in this chat alone. `says_more`: so the message does besides.
    """

    kind: CommandKind
    argument: str = ""
    model_text: str
    has_no_other_text: bool = False
    is_chinese: bool = False
    this_chat_only: bool = False
    has_more_text: bool = False


@dataclass(frozen=True, slots=True)
class _RememberRequest:
    """What to remember, whether in this chat alone, and what else is said behind it."""

    argument: str
    this_chat_only: bool
    following_text: str


_NAMES: Mapping[str, CommandKind] = {
    **dict.fromkeys(("off", "不记录", "不記錄"), CommandKind.OFF_THE_RECORD),
    **dict.fromkeys(("remember", "记住", "記住"), CommandKind.REMEMBER),
    **dict.fromkeys(("forget", "忘记", "忘記", "忘掉"), CommandKind.FORGET),
    **dict.fromkeys(("memories", "记忆", "記憶"), CommandKind.LIST_MEMORIES),
    **dict.fromkeys(("pause", "暂停", "暫停"), CommandKind.PAUSE),
    **dict.fromkeys(("resume", "恢复", "恢復"), CommandKind.RESUME),
}
_MARKS: Mapping[str, CommandKind] = {
    **dict.fromkeys(("never", "never again", "永不", "从不", "從不"), CommandKind.NEVER_REMEMBER),
    **dict.fromkeys(("again", "恢复", "恢復"), CommandKind.REMEMBER_AGAIN),
}
"""What /remember says of the character as a whole."""
_ASCII = "|".join(name for name in _NAMES if name.isascii())
_CHINESE = "|".join(name for name in _NAMES if not name.isascii())
_SLASH = re.compile(
    rf"""\s*[/／](?!off\ topic\b)
    (?:({_ASCII})(?=[\s:：,，;；。!！?？…]|\.\s|\.?\Z)|({_CHINESE})(?!了|的|吗|嗎|力|里|裡))
    \.?[\s:：,，;；。!！?？…]*""",
    re.IGNORECASE | re.VERBOSE,
)
_SLASHES = "/／"
_PAUSE_TARGETS: Mapping[str, PauseTarget] = {
    **dict.fromkeys(("writing", "写入", "寫入", "记录", "記錄"), PauseTarget.WRITING),
    **dict.fromkeys(("recall", "回忆", "回憶"), PauseTarget.RECALL),
    **dict.fromkeys(("both", "all", "everything", "memory"), PauseTarget.BOTH),
    **dict.fromkeys(("全部", "所有", "记忆", "記憶"), PauseTarget.BOTH),
}
_PLAINLY = ("", "一下")  # about nothing in particular
_DEFAULT_PAUSE_TARGETS = {
    CommandKind.PAUSE: PauseTarget.WRITING,
    CommandKind.RESUME: PauseTarget.BOTH,
}
_LAST = re.compile(
    r"""(?:(?:the|my|our)\ )?last(?:\ (?:one|message|exchange|memory))?|it|(?:that|this)(?:\ one)?
    |(?:上一|最[后後]一)[条條](?:消息|訊息|记忆|記憶)?|[刚剛]才|它|[这這那][个個条條]""",
    re.VERBOSE,
)
_ALL = re.compile(
    r"all|all\ of\ (?:it|them)|everything(?:\ you\ know)?|(?:all|my)\ memories"
    r"|全部|所有|一切|(?:全部|所有)(?:记忆|記憶)"
)
_THAT = re.compile(r"\A(?:that\b(?!['’])[\s,:]*|this\s{0,3}:\s*)", re.IGNORECASE)
_ABOUT_IT = re.compile(r"\A(?:that|about)\s+(?!one\b)(?=\S)", re.IGNORECASE)

_REPLACEMENT_TEXTS = {
    CommandKind.OFF_THE_RECORD: ("This stays off the record.", "这条不要记录。"),
    CommandKind.REMEMBER: ("Please remember something.", "请记住一件事。"),
    CommandKind.FORGET: ("Please forget something.", "请忘掉一件事。"),
    CommandKind.LIST_MEMORIES: ("What do you remember?", "你记得什么？"),
    CommandKind.PAUSE: ("Please pause your memory in this chat.", "请在这个对话中暂停记忆。"),
    CommandKind.RESUME: ("Please resume your memory in this chat.", "请在这个对话中恢复记忆。"),
    CommandKind.NEVER_REMEMBER: (
        "Please remember nothing from now on.",
        "请从现在起什么都不要记住。",
    ),
    CommandKind.REMEMBER_AGAIN: ("Please remember again from now on.", "请从现在起重新开始记住。"),
}
_ABOUT = {
    CommandKind.FORGET: ("Please forget: {}", "请忘掉：{}"),
    CommandKind.LIST_MEMORIES: ("What do you remember about this: {}", "关于这个你记得什么：{}"),
}

_COURTESY = re.compile(
    r"""(?:[\W_]|thanks|thank\ you|thx|please|okay|ok
      |谢谢|謝謝|多谢|多謝|感谢|感謝|拜托|拜託|你|您|啦|了)*+""",
    re.IGNORECASE | re.VERBOSE,
)
_QUESTION = re.compile(r"[?？][\"'”’」』）)\s]*$")
_TAG = re.compile(
    r"""\s{0,3}[,，]\s{0,3}(?:ok(?:ay)?|alright|please|will\ you|好吗|好嗎|好吧|行吗|行嗎)
    \s{0,3}[?？!！.。]*$""",
    re.IGNORECASE | re.VERBOSE,
)
_QUOTED = re.compile(r"\s*[\"“”'‘「『*>]")


def parse_command(text: str) -> Command | None:
    """The command that a message begins with, by a slash or in so many words."""
    return parse_slash_command(text) or _parse_plain_request(text)


def parse_slash_command(text: str) -> Command | None:
    """The command with a slash; None for ordinary text, unknown slash words included."""
    match = _SLASH.match(text)
    if match is None:
        return None
    kind = _NAMES[(match[1] or match[2]).lower()]
    argument = text[match.end() :].strip()
    if kind is CommandKind.REMEMBER:
        kind = _MARKS.get(_bare(argument), kind)
    if kind in _DEFAULT_PAUSE_TARGETS and _bare(argument) not in (*_PLAINLY, *_PAUSE_TARGETS):
        return None
    is_chinese, is_here = bool(match[2] or chinese.HAN.search(argument)), False
    if kind is CommandKind.REMEMBER:
        argument, is_here = this_chat_only.strip_label(_THAT.sub("", argument, count=1))
    elif kind in _ABOUT:
        argument = _ABOUT_IT.sub("", argument)
    command = _command(kind, argument, is_chinese=is_chinese)
    return replace(command, this_chat_only=is_here)


def without_commands(exchanges: Sequence[Exchange]) -> list[Exchange]:
    """Those that may become memories: what was said to the memory or off the record does not.

    It goes by the text of the chat, so it holds after a restart.
    """
    return [it for it in exchanges if not is_command_message(it.user)]


def is_command_message(message: str) -> bool:
    """Whether it is no part of the talk that is remembered."""
    return message[:1] in _SLASHES and parse_slash_command(message) is not None


def is_chat_only_request(message: str) -> bool:
    """Whether plain words ask to remember something in this chat alone, and say nothing else."""
    asked = _parse_plain_request(message)
    return asked is not None and asked.this_chat_only and not asked.has_more_text


def strip_command(text: str) -> str:
    """A message of the chat as the model shall read it: without the command."""
    command = parse_slash_command(text) if text.lstrip()[:1] in _SLASHES else None
    return text if command is None else command.model_text


def pause_target(command: Command) -> PauseTarget:
    """What a /pause or /resume is about."""
    return _PAUSE_TARGETS.get(_bare(command.argument)) or _DEFAULT_PAUSE_TARGETS[command.kind]


def refers_to_last(argument: str) -> bool:
    """Whether it names what was remembered last."""
    return _LAST.fullmatch(_bare(argument)) is not None


def refers_to_all(argument: str) -> bool:
    """Whether it names whatever is remembered, which no message forgets."""
    return _ALL.fullmatch(_bare(argument)) is not None


def _bare(argument: str) -> str:
    return argument.strip(f"{chinese.PARTICLES}?,，").removesuffix("please").rstrip(" ,").lower()


def _command(kind: CommandKind, argument: str, *, is_chinese: bool) -> Command:
    is_spoken = bool(argument) and kind in (CommandKind.OFF_THE_RECORD, CommandKind.REMEMBER)
    return Command(
        kind=kind,
        argument=argument,
        model_text=argument if is_spoken else _replacement_text(kind, argument, is_chinese),
        has_no_other_text=not is_spoken,
        is_chinese=is_chinese,
    )


def _replacement_text(kind: CommandKind, argument: str, is_chinese: bool) -> str:
    """A message must say something: some templates refuse an empty one."""
    if argument and kind in _ABOUT:
        return _ABOUT[kind][is_chinese].format(argument)
    return _REPLACEMENT_TEXTS[kind][is_chinese]


def _may_be_command(text: str) -> bool:
    """False of most texts, in a fifth of the time that a closer look takes."""
    if not text.isascii():
        return True
    small = text.lower()
    return "remember" in small or "forget" in small


def _parse_plain_request(text: str) -> Command | None:
    if not _may_be_command(text) or _QUOTED.match(text):
        return None  # somebody is quoted, or an action is told
    start = this_chat_only.scope_prefix_end(text)
    said, is_here = text[start:], start > 0
    wish = _parse_english(said, is_here) or _parse_chinese(said, is_here)
    if wish is None:
        return None
    return Command(
        kind=CommandKind.REMEMBER,
        argument=wish.argument,
        model_text=text,
        is_chinese=bool(chinese.HAN.search(wish.argument)),
        this_chat_only=wish.this_chat_only,
        has_more_text=_COURTESY.fullmatch(wish.following_text) is None,
    )


def _parse_english(text: str, is_here: bool) -> _RememberRequest | None:
    match = english.ASK.match(text)
    if match is None:
        return None
    if match["asks"]:
        text = text[: match.end()] + english.QUESTION.sub(r"\1.", text[match.end() :])
    wish = _extract_statement(text, match.end(), is_here=is_here or match["here"] is not None)
    if not wish.argument or english.POINTS.match(wish.argument):
        return None
    if len(wish.argument.split()) < 2 and not chinese.HAN.search(wish.argument):
        return None
    return wish


def _parse_chinese(text: str, is_here: bool) -> _RememberRequest | None:
    match = chinese.ASK.match(text)
    if match is None or match["after"] not in ("", "一下"):
        return None
    if match["soft"] and not chinese.INSISTS.search(match["asks"]):
        return None
    wish = _extract_statement(text, match.end(), is_here=is_here)
    return wish if chinese.is_statement(wish.argument) else None


def _extract_statement(text: str, start: int, *, is_here: bool) -> _RememberRequest:
    """What the line says from `start` on, up to a question: the first sentence, since the others
    are mostly for now; where it is for this chat alone, all up to where one ends with that.
    """
    line = text[start:].split("\n", 1)[0]
    said = list(takewhile(lambda it: not _QUESTION.search(_TAG.sub("", it)), sentences(line)))
    bounded = said[: _count_scoped_sentences(said)]
    argument, is_bounded = this_chat_only.strip_scope(_joined(bounded))
    if is_here or is_bounded:
        return _RememberRequest(argument, True, text[start + _end(line, bounded) :])
    return _RememberRequest(_joined(said[:1]).strip(), False, text[start + _end(line, said[:1]) :])


def _joined(said: Sequence[str]) -> str:
    return " ".join(_TAG.sub("", it) for it in said)


def _count_scoped_sentences(said: Sequence[str]) -> int:
    """How many sentences there are up to the one that ends with "in this chat only", else all."""
    scopes = ((at, this_chat_only.scope_suffix_start(sentence)) for at, sentence in enumerate(said))
    return next((at + 1 for at, scope in scopes if scope or (scope == 0 and at)), len(said))


def _end(line: str, kept: Sequence[str]) -> int:
    """Where the last of the sentences that a line begins with ends."""
    end = 0
    for sentence in kept:
        end = line.index(sentence, end) + len(sentence)
    return end
