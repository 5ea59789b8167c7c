"""Finds the statement of a plain request to remember it: "remember that I'm vegan".

The patterns of remember_words.py find requests; the checks here leave out those without a
statement: "remember that day", "记住单词的方法有哪些".
"""

# ruff: noqa: RUF001  (curly quotes, Chinese punctuation)

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import takewhile

from ..sentences import sentences
from . import remember_words as words
from . import this_chat_only
from .command import HAN, KANA

LONGEST_START = 2_000  # letters in which a message begins with a request, however polite
# Phrases in which "that" points at something: that day in Paris, that song.
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
# Without one of these, 记得 may only mean: surely you remember.
_INSISTS = re.compile(r"[请請拜麻务務要得帮幫给給替]")
_ASKS_BACK = re.compile(
    r"""(?:吗|嗎|呢|没有|沒有|没|沒|谁|誰|有哪些|在哪[里裡儿兒]?|为什么|為什麼|多少
      |是(?:什么|什麼|啥)(?:意思)?|怎么办|怎麼辦|怎么样|怎麼樣)[。！!.\s]*$""",
    re.VERBOSE,
)
# Phrases that point at something, such as "那次旅行" (that trip).
_REFERENCE = re.compile(
    r"""(?:[这這那]一?(?:次|天|年|晚|夜|件|段|场|場|句|刻|些|首|部)[^是有要会會不只限：:，,]*
      |(?:我|你|您|他|她|我们|我們|你们|你們)(?:[说說讲講](?:过|過)?)?
        的(?:名字|生日|话|話|约定|約定|样子|樣子|好))[哦啊呀吧呢啦喔噢嘛。！!.~～\s]*$""",
    re.VERBOSE,
)
_SUBJECT = re.compile(r"[我你您他她它咱]")
_MIN_STATEMENT_CHARS = 4  # a shorter text about nobody is a task
_JUDGEMENT = re.compile(r"[很真太好不](?:难|難|容易|简单|簡單)")
PARTICLES = "哦啊呀吧呢啦喔噢嘛。！!.~～ "
_NOBODY = frozenset(
    ("我", "我们", "我們", "他", "她", "它", "他们", "她们", "这", "那", "这个", "那个")
)
_MIN_WORDS = 2
_ASKED = re.compile(r"\A([^.!?\n]*+)\?")
_QUESTION = re.compile(r"[?？][\"'”’」』）)\s]*$")
_TAG = re.compile(
    r"""\s{0,3}[,，]\s{0,3}(?:ok(?:ay)?|alright|please|will\ you|好吗|好嗎|好吧|行吗|行嗎)
    \s{0,3}[?？!！.。]*$""",
    re.IGNORECASE | re.VERBOSE,
)


@dataclass(frozen=True, slots=True)
class RememberRequest:
    """A statement to remember, its scope, and the text after it."""

    argument: str
    this_chat_only: bool
    following_text: str


def _asks_in_english(_: re.Match[str], statement: str) -> bool:
    if not statement or _POINTS.match(statement):
        return False
    return len(statement.split()) > 1 or HAN.search(statement) is not None


def _asks_in_chinese(match: re.Match[str], statement: str) -> bool:
    if match["after"] not in ("", "一下"):
        return False
    is_soft = match["soft"] and not _INSISTS.search(match["lead"])
    return not is_soft and _is_chinese_statement(statement)


def _asks_in_words(_: re.Match[str], statement: str) -> bool:
    return len(statement.split()) >= _MIN_WORDS or bool(KANA.search(statement))


def _asks_behind(match: re.Match[str], statement: str) -> bool:
    return _asks_in_words(match, statement) or _is_chinese_statement(statement)


def _is_chinese_statement(argument: str) -> bool:
    """Returns True for a statement worth remembering, False for questions and references."""
    bare = argument.strip(PARTICLES)
    if len(bare) < 2 or bare in _NOBODY or _REFERENCE.match(bare):
        return False
    if _ASKS_BACK.search(argument) or _JUDGEMENT.search(argument):
        return False
    is_short = len(bare) < _MIN_STATEMENT_CHARS and bool(HAN.search(bare))
    return not is_short or _SUBJECT.search(bare) is not None


# Patterns, with the check whether a match and its statement are a request. A pattern may have these
# groups: `statement`, if that does not follow the match; `asks`, of a request in the form of a
# question; `here`, of a scope.
_REQUESTS: Sequence[tuple[re.Pattern[str], Callable[[re.Match[str], str], bool]]] = (
    (words.ENGLISH, _asks_in_english),
    (words.CHINESE, _asks_in_chinese),
    (words.JAPANESE_STATEMENT_FIRST, lambda match, statement: True),
    (words.KOREAN_STATEMENT_FIRST, _asks_in_words),
    (words.FURTHER, _asks_in_words),
    *((pattern, _asks_behind) for pattern in words.BEHIND),
)


def find_request(text: str) -> RememberRequest | None:
    """Returns the first request at the beginning of the text, in any language; None without one."""
    if text.isascii() and not words.may_ask(text[:LONGEST_START]):
        return None  # most texts, in a fifth of the time of the patterns
    scope = this_chat_only.SCOPE_PREFIX.match(text)
    text = text[scope.end() :] if scope else text
    scope_start = this_chat_only.scope_suffix_start(text)
    for pattern, is_request in _REQUESTS:
        is_behind = "statement" in pattern.groupindex  # the request, after which a scope may stand
        if match := pattern.match(text[:scope_start] if is_behind else text):
            is_here = scope is not None or (is_behind and scope_start is not None)
            request = _request_of(match, is_here=is_here)
            if is_request(match, request.argument):
                return request
    return None


def _request_of(match: re.Match[str], *, is_here: bool) -> RememberRequest:
    text, end, groups = match.string, match.end(), match.groupdict()
    is_here = is_here or any(groups[name] for name in groups if name.startswith("here"))
    if statement := groups.get("statement"):
        return RememberRequest(statement.strip(), is_here, text[end:])
    if any(groups[name] for name in groups if name.startswith("asks")):
        text = text[:end] + _ASKED.sub(r"\1.", text[end:])
    return _extract_statement(text, end, is_here=is_here)


def _extract_statement(text: str, start: int, *, is_here: bool) -> RememberRequest:
    """Returns the statement that begins at `start`, up to a question or the end of the line.

    That is the first sentence, because later ones are mostly not meant to be remembered. For this
    chat only, it is all sentences up to the one with the scope.
    """
    line = text[start:].split("\n", 1)[0]
    parts = list(takewhile(lambda part: not _QUESTION.search(_TAG.sub("", part)), sentences(line)))
    scoped = parts[: _count_scoped_sentences(parts)]
    argument, has_scope = this_chat_only.strip_scope(_joined(scoped))
    if is_here or has_scope:
        return RememberRequest(argument, True, text[start + _end(line, scoped) :])
    first = parts[:1]
    return RememberRequest(_joined(first).strip(), False, text[start + _end(line, first) :])


def _joined(parts: Sequence[str]) -> str:
    return " ".join(_TAG.sub("", part) for part in parts)


def _count_scoped_sentences(parts: Sequence[str]) -> int:
    """Returns the number of sentences up to one that ends with a scope, else of all."""
    starts = enumerate(map(this_chat_only.scope_suffix_start, parts))
    scoped = (index for index, start in starts if start or (start == 0 and index))
    return next((index + 1 for index in scoped), len(parts))


def _end(line: str, first_sentences: Sequence[str]) -> int:
    """Returns the end of the last of the sentences that a line begins with."""
    end = 0
    for sentence in first_sentences:
        end = line.index(sentence, end) + len(sentence)
    return end
