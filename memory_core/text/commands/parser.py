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
from . import this_chat_only


class CommandKind(StrEnum):
    OFF = "off"
    REMEMBER = "remember"
    FORGET = "forget"
    MEMORIES = "memories"
    PAUSE = "pause"
    RESUME = "resume"
    NEVER = "never"  # /remember never: of the character, in all chats
    AGAIN = "again"


class Switched(StrEnum):
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
    rest: str
    is_bare: bool = False
    is_chinese: bool = False
    is_here: bool = False
    says_more: bool = False


@dataclass(frozen=True, slots=True)
class _Wish:
    """What to remember, whether in this chat alone, and what else is said behind it."""

    argument: str
    is_here: bool
    rest: str


_NAMES: Mapping[str, CommandKind] = {
    **dict.fromkeys(("off", "不记录", "不記錄"), CommandKind.OFF),
    **dict.fromkeys(("remember", "记住", "記住"), CommandKind.REMEMBER),
    **dict.fromkeys(("forget", "忘记", "忘記", "忘掉"), CommandKind.FORGET),
    **dict.fromkeys(("memories", "记忆", "記憶"), CommandKind.MEMORIES),
    **dict.fromkeys(("pause", "暂停", "暫停"), CommandKind.PAUSE),
    **dict.fromkeys(("resume", "恢复", "恢復"), CommandKind.RESUME),
}
_MARKS: Mapping[str, CommandKind] = {
    **dict.fromkeys(("never", "never again", "永不", "从不", "從不"), CommandKind.NEVER),
    **dict.fromkeys(("again", "恢复", "恢復"), CommandKind.AGAIN),
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
_SWITCHED: Mapping[str, Switched] = {
    **dict.fromkeys(("writing", "写入", "寫入", "记录", "記錄"), Switched.WRITING),
    **dict.fromkeys(("recall", "回忆", "回憶"), Switched.RECALL),
    **dict.fromkeys(("both", "all", "everything", "memory"), Switched.BOTH),
    **dict.fromkeys(("全部", "所有", "记忆", "記憶"), Switched.BOTH),
}
_PLAINLY = ("", "一下")  # about nothing in particular
_DEFAULT_SWITCHED = {
    CommandKind.PAUSE: Switched.WRITING,
    CommandKind.RESUME: Switched.BOTH,
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
_HAN = re.compile(r"[\u3400-\u9fff]")
_THAT = re.compile(r"\A(?:that\b(?!['’])[\s,:]*|this\s{0,3}:\s*)", re.IGNORECASE)
_ABOUT_IT = re.compile(r"\A(?:that|about)\s+(?!one\b)(?=\S)", re.IGNORECASE)

_STAND_IN = {
    CommandKind.OFF: ("This stays off the record.", "这条不要记录。"),
    CommandKind.REMEMBER: ("Please remember something.", "请记住一件事。"),
    CommandKind.FORGET: ("Please forget something.", "请忘掉一件事。"),
    CommandKind.MEMORIES: ("What do you remember?", "你记得什么？"),
    CommandKind.PAUSE: ("Please pause your memory in this chat.", "请在这个对话中暂停记忆。"),
    CommandKind.RESUME: ("Please resume your memory in this chat.", "请在这个对话中恢复记忆。"),
    CommandKind.NEVER: ("Please remember nothing from now on.", "请从现在起什么都不要记住。"),
    CommandKind.AGAIN: ("Please remember again from now on.", "请从现在起重新开始记住。"),
}
_ABOUT = {
    CommandKind.FORGET: ("Please forget: {}", "请忘掉：{}"),
    CommandKind.MEMORIES: ("What do you remember about this: {}", "关于这个你记得什么：{}"),
}

# What somebody tells of themselves, where no "that" says where it begins.
_CLAUSE = r"""(?:i(?:['’]?m|\s+am|['’]ve|\s+have|\s+do(?:n['’]?t|\s+not)|\s+can(?:['’]?t|not)
    |\s+(?:always|never|only|still|live|work|study|eat|drink|like|love|hate|prefer|speak|play|own
      |moved|was\ born))\s+(?!you\b)\S
  |my(?:\s+(?!(?:who|that|which|when|where|if|how)\b)[\w'’-]+){1,4}?\s+
    (?:is|are|has|have|lives?|works?|was|were|will|can|can['’]t|doesn['’]t|don['’]t)\s+\S)"""
_ENGLISH = re.compile(
    r"""\s*
    (?:(?:ok(?:ay)?|alright|hey|hi|hello|good\ (?:morning|evening|night)|thanks|thank\ you|so|and
      |but|also|oh|yes|well|now|listen|btw|by\ the\ way)\b[\s,!:.]*){0,2}
    (?:[^\W\d_]{2,}\s*,\s*)?                                        # a name
    (?:(?:can|could|would|will)\s+you\s+(?P<asks>please|kindly)\s+)?
    (?:(?:please|pls|kindly|also|always|just|do)\s+)*
    (?:remember|(?:do\s?n['’]?t\s+(?:you\s+)?|do\s+not\s+)(?:ever\s+)?forget|never\s+forget
      |i(?:\s+want|\s+need|['’]d\s+like)\s+you\s+to\s+(?:always\s+)?remember)
    (?:\s{0,3},?\s{0,3}please\b(?:\s{0,3},)?)?
    (?P<here>\s{0,3}[,(]?\s{0,3}SCOPE\s{0,3}[,)]?)?
    (?:\s+that\b(?!['’])[\s,:]*
      |(?:\s+(?:this|the\ following)\b)?(?:\s{1,3}for\ (?:later|next\ time)\b)?\s*:\s*
      |(?:\s{0,3},)?\s{1,3}(?=CLAUSE))
    """.replace("SCOPE", this_chat_only.SCOPE).replace("CLAUSE", _CLAUSE),
    re.IGNORECASE | re.VERBOSE,
)
# "that" points at something here: that day in Paris, that song.
_POINTS = re.compile(
    r"""(?!(?:my|your|his|her|its|our|their|the|an?|this|these|those|every|each|no|all|some|any
      |i|you|he|she|it|we|they|one\s+of|next|tomorrow|(?:mon|tues|wednes|thurs|fri|satur|sun)day)\s)
    (?:(?:one|big|little|small|tiny|old|young|new|first|last|other|whole|long|weird|strange|funny
      |crazy|silly|stupid|awful|terrible|horrible|scary|sad|sweet|cute|nice|great|lovely|beautiful
      |amazing|wonderful|special|famous)\s+){0,3}
    (?:\w+\s+)?
    (?:time|day|night|evening|morning|afternoon|summer|winter|weekend|week|year|moment|trip|party
      |guy|man|woman|girl|boy|kid|person|place|house|restaurant|caf[eé]|bar|movie|film|scene
      |episode|song|book|game|story|joke|letter|picture|photo|gift|thing|one|dream|feeling|promise
      |fight|argument|conversation|talk|boss|teacher|dog|cat)s?\b
    \s*(?:$|[.!…,]|when\b|where\b|we\b|you\b|i\b|he\b|she\b|they\b|in\b|at\b|on\b|of\b|with\b|from\b
      |who\b|that\b|last\b|about\b|back\b|to\b|near\b)""",
    re.IGNORECASE | re.VERBOSE,
)
_CHINESE_ASK = re.compile(
    r"""\s*
    (?:[\w]{1,8}\s*[，,！!、：:]\s*)?                                  # a name, or "by the way"
    (?P<asks>(?:请|請|拜托|拜託|麻烦|麻煩)?(?:你|您)?(?:一定|务必|務必)?(?:要|得)?
      (?:帮我|幫我|给我|給我|替我)?)
    (?:记住|記住|(?:别|別|不要|不许|不許|千万别|千萬別)(?:忘了|忘记|忘記)
      |(?P<soft>[记記](?:得|着|著|下来|下來|下)|(?=[记記]一下)[记記]))
    (?P<after>一下|[了没沒不过過的得吗嗎]?)[啦哦喔噢啊呀哈]?
    [\s，,：:、！!。~～]*
    """,
    re.VERBOSE,
)
# Without these who says so may mean: surely you remember.
_CHINESE_INSISTS = re.compile(r"[请請拜麻务務要得帮幫给給替]")
_CHINESE_ASKS_BACK = re.compile(
    r"""(?:吗|嗎|呢|没有|沒有|没|沒|谁|誰|有哪些|在哪[里裡儿兒]?|为什么|為什麼|多少
      |是(?:什么|什麼|啥)(?:意思)?|怎么办|怎麼辦|怎么样|怎麼樣)[。！!.\s]*$""",
    re.VERBOSE,
)
# "那次旅行": it points at something, as "that trip" does.
_CHINESE_POINTS = re.compile(
    r"""(?:[这這那]一?(?:次|天|年|晚|夜|件|段|场|場|句|刻|些|首|部)[^是有要会會不只限：:，,]*
      |(?:我|你|您|他|她|我们|我們|你们|你們)(?:[说說讲講](?:过|過)?)?
        的(?:名字|生日|话|話|约定|約定|样子|樣子|好))[哦啊呀吧呢啦喔噢嘛。！!.~～\s]*$""",
    re.VERBOSE,
)
_CHINESE_SUBJECT = re.compile(r"[我你您他她它咱]")
_CHINESE_TELLS = 4  # letters: what is shorter and about nobody is something to do
_CHINESE_JUDGES = re.compile(r"[很真太好不](?:难|難|容易|简单|簡單)")
_PARTICLES = "哦啊呀吧呢啦喔噢嘛。！!.~～ "
_NOBODY = frozenset(
    ("我", "我们", "我們", "他", "她", "它", "他们", "她们", "这", "那", "这个", "那个")
)
_COURTESY = re.compile(
    r"""(?:[\W_]|thanks|thank\ you|thx|please|okay|ok
      |谢谢|謝謝|多谢|多謝|感谢|感謝|拜托|拜託|你|您|啦|了)*+""",
    re.IGNORECASE | re.VERBOSE,
)
_QUESTION = re.compile(r"[?？][\"'”’」』）)\s]*$")
_ASKED = re.compile(r"\A([^.!?\n]*+)\?")
_TAG = re.compile(
    r"""\s{0,3}[,，]\s{0,3}(?:ok(?:ay)?|alright|please|will\ you|好吗|好嗎|好吧|行吗|行嗎)
    \s{0,3}[?？!！.。]*$""",
    re.IGNORECASE | re.VERBOSE,
)
_QUOTED = re.compile(r"\s*[\"“”'‘「『*>]")


def read(text: str) -> Command | None:
    """The command that a message begins with, by a slash or in so many words."""
    return slash(text) or _asked_to_remember(text)


def slash(text: str) -> Command | None:
    """The command with a slash; None for ordinary text, unknown slash words included."""
    match = _SLASH.match(text)
    if match is None:
        return None
    kind = _NAMES[(match[1] or match[2]).lower()]
    argument = text[match.end() :].strip()
    if kind is CommandKind.REMEMBER:
        kind = _MARKS.get(_bare(argument), kind)
    if kind in _DEFAULT_SWITCHED and _bare(argument) not in (*_PLAINLY, *_SWITCHED):
        return None
    is_chinese, is_here = bool(match[2] or _HAN.search(argument)), False
    if kind is CommandKind.REMEMBER:
        argument, is_here = this_chat_only.labelled(_THAT.sub("", argument, count=1))
    elif kind in _ABOUT:
        argument = _ABOUT_IT.sub("", argument)
    command = _command(kind, argument, is_chinese=is_chinese)
    return replace(command, is_here=is_here)


def recordable(exchanges: Sequence[Exchange]) -> list[Exchange]:
    """Those that may become memories: what was said to the memory or off the record does not.

    It goes by the text of the chat, so it holds after a restart.
    """
    return [it for it in exchanges if not is_apart(it.user)]


def is_apart(message: str) -> bool:
    """Whether it is no part of the talk that is remembered."""
    return message[:1] in _SLASHES and slash(message) is not None


def holds_here(message: str) -> bool:
    """Whether plain words ask to remember something in this chat alone, and say nothing else."""
    asked = _asked_to_remember(message)
    return asked is not None and asked.is_here and not asked.says_more


def spoken(text: str) -> str:
    """A message of the chat as the model shall read it: without the command."""
    command = slash(text) if text.lstrip()[:1] in _SLASHES else None
    return text if command is None else command.rest


def switched(command: Command) -> Switched:
    """What a /pause or /resume is about."""
    return _SWITCHED.get(_bare(command.argument)) or _DEFAULT_SWITCHED[command.kind]


def means_last(argument: str) -> bool:
    """Whether it names what was remembered last."""
    return _LAST.fullmatch(_bare(argument)) is not None


def means_all(argument: str) -> bool:
    """Whether it names whatever is remembered, which no message forgets."""
    return _ALL.fullmatch(_bare(argument)) is not None


def _bare(argument: str) -> str:
    return argument.strip(f"{_PARTICLES}?,，").removesuffix("please").rstrip(" ,").lower()


def _command(kind: CommandKind, argument: str, *, is_chinese: bool) -> Command:
    is_spoken = bool(argument) and kind in (CommandKind.OFF, CommandKind.REMEMBER)
    return Command(
        kind=kind,
        argument=argument,
        rest=argument if is_spoken else _stand_in(kind, argument, is_chinese),
        is_bare=not is_spoken,
        is_chinese=is_chinese,
    )


def _stand_in(kind: CommandKind, argument: str, is_chinese: bool) -> str:
    """A message must say something: some templates refuse an empty one."""
    if argument and kind in _ABOUT:
        return _ABOUT[kind][is_chinese].format(argument)
    return _STAND_IN[kind][is_chinese]


def _may_ask(text: str) -> bool:
    """False of most texts, in a fifth of the time that a closer look takes."""
    if not text.isascii():
        return True
    small = text.lower()
    return "remember" in small or "forget" in small


def _asked_to_remember(text: str) -> Command | None:
    if not _may_ask(text) or _QUOTED.match(text):
        return None  # somebody is quoted, or an action is told
    start = this_chat_only.led_in(text)
    said, is_here = text[start:], start > 0
    wish = _english(said, is_here) or _chinese(said, is_here)
    if wish is None:
        return None
    return Command(
        kind=CommandKind.REMEMBER,
        argument=wish.argument,
        rest=text,
        is_chinese=bool(_HAN.search(wish.argument)),
        is_here=wish.is_here,
        says_more=_COURTESY.fullmatch(wish.rest) is None,
    )


def _english(text: str, is_here: bool) -> _Wish | None:
    match = _ENGLISH.match(text)
    if match is None:
        return None
    if match["asks"]:
        text = text[: match.end()] + _ASKED.sub(r"\1.", text[match.end() :])
    wish = _stated(text, match.end(), is_here=is_here or match["here"] is not None)
    if not wish.argument or _POINTS.match(wish.argument):
        return None
    if len(wish.argument.split()) < 2 and not _HAN.search(wish.argument):
        return None
    return wish


def _chinese(text: str, is_here: bool) -> _Wish | None:
    match = _CHINESE_ASK.match(text)
    if match is None or match["after"] not in ("", "一下"):
        return None
    if match["soft"] and not _CHINESE_INSISTS.search(match["asks"]):
        return None
    wish = _stated(text, match.end(), is_here=is_here)
    return wish if _tells(wish.argument) else None


def _tells(argument: str) -> bool:
    """Whether it is something that can be remembered, and no question."""
    bare = argument.strip(_PARTICLES)
    if len(bare) < 2 or bare in _NOBODY or _CHINESE_POINTS.match(bare):
        return False
    if _CHINESE_ASKS_BACK.search(argument) or _CHINESE_JUDGES.search(argument):
        return False
    is_short = len(bare) < _CHINESE_TELLS and bool(_HAN.search(bare))
    return not is_short or _CHINESE_SUBJECT.search(bare) is not None


def _stated(text: str, start: int, *, is_here: bool) -> _Wish:
    """What the line says from `start` on, up to a question: the first sentence, since the others
    are mostly for now; where it is for this chat alone, all up to where one ends with that.
    """
    line = text[start:].split("\n", 1)[0]
    said = list(takewhile(lambda it: not _QUESTION.search(_TAG.sub("", it)), sentences(line)))
    bounded = said[: _bound(said)]
    argument, is_bounded = this_chat_only.unbound(_joined(bounded))
    if is_here or is_bounded:
        return _Wish(argument, True, text[start + _end(line, bounded) :])
    return _Wish(_joined(said[:1]).strip(), False, text[start + _end(line, said[:1]) :])


def _joined(said: Sequence[str]) -> str:
    return " ".join(_TAG.sub("", it) for it in said)


def _bound(said: Sequence[str]) -> int:
    """How many sentences there are up to the one that ends with "in this chat only", else all."""
    scopes = ((at, this_chat_only.behind(sentence)) for at, sentence in enumerate(said))
    return next((at + 1 for at, scope in scopes if scope or (scope == 0 and at)), len(said))


def _end(line: str, kept: Sequence[str]) -> int:
    """Where the last of the sentences that a line begins with ends."""
    end = 0
    for sentence in kept:
        end = line.index(sentence, end) + len(sentence)
    return end
