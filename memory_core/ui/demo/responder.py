"""Answers in the demo, from the configured language model or by quoting memories."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from typing import Protocol

from ...config.model_settings import BackendSettings
from ...domain.errors import LLMUnavailable
from ...domain.records import Role, Turn
from ...providers.llm.base import LanguageModel
from ...text.locales import LANGUAGES, catalogue
from ...text.prompt_fence import HEADS, SEPARATOR, TAIL, strip_fences
from ...text.recited_memory import ALSO, ALSO_ZH, OPENING, OPENING_ZH
from ...text.search_terms import terms
from ...text.sentences import excerpt
from .prompt import Message

_DATED = re.compile(r"\[(\d{4}-\d\d-\d\d)\]\s*(.*)", re.DOTALL)
_BLOCK = re.compile(f"(?:{HEADS})(.*?){re.escape(TAIL)}", re.DOTALL)
_BEFORE_QUOTE = re.compile(r":\n(?=\")")
_QUESTION = re.compile(r"[?？][^\w?？]*$")  # noqa: RUF001
_HAN = re.compile(r"[\u3400-\u9fff]")
# The first line of a block, and the line with the day: words of ours, not memories.
_HEADING = re.compile(r"[:：]\s*$|^(?:Today is |今天是)")  # noqa: RUF001
_ASKED = re.compile(r"^(?:The user asked what is remembered: |用户询问记住了什么[:：])")  # noqa: RUF001
_MIN_BEGINNING = 6
_MAX_CHARS = 260
_MAX_LINES = 3


class Responder(Protocol):
    def reply(self, messages: Sequence[Message]) -> Iterator[str]:
        """Yields pieces of the answer to the last message. Raises LLMUnavailable."""
        ...


class ModelResponder:
    """Answers with a language model."""

    def __init__(self, llm: LanguageModel, settings: BackendSettings, *, timeout_s: float) -> None:
        self._llm = llm
        self._settings = settings
        self._timeout_s = timeout_s

    def reply(self, messages: Sequence[Message]) -> Iterator[str]:
        turns = [Turn(role=Role(message["role"]), text=message["content"]) for message in messages]
        is_silent = True
        for piece in self._llm.stream(
            turns,
            max_tokens=self._settings.max_tokens,
            temperature=self._settings.temperature,
            timeout_s=self._timeout_s,
        ):
            is_silent = False
            yield piece
        if is_silent:
            raise LLMUnavailable(f"{self._llm.name} returned an empty answer")


@dataclass(frozen=True, slots=True)
class _Phrases:
    """The fixed phrases of one language."""

    opening: str
    quoted_question: str
    quoted_answer: str
    line: str
    nothing_found: str
    nothing_found_paused: str
    recall_off: str


_ENGLISH = _Phrases(
    opening=OPENING,
    quoted_question="On {date} you told me: “{user}”",
    quoted_answer=" I answered: “{assistant}”",
    line=ALSO + "{text}",
    nothing_found="I found nothing that fits. What you have just told me, I will remember.",
    nothing_found_paused="I found nothing that fits. Remembering is paused here, so I will not "
    "remember what you have just told me.",
    recall_off="Recall is paused here, so I looked for nothing.",
)
_CHINESE = _Phrases(
    opening=OPENING_ZH,
    quoted_question="{date}，你告诉过我：“{user}”",  # noqa: RUF001
    quoted_answer=" 我回答：“{assistant}”",  # noqa: RUF001
    line=ALSO_ZH + "{text}",
    nothing_found="没有找到相关的回忆。你刚才说的，我会记住。",  # noqa: RUF001
    nothing_found_paused="没有找到相关的回忆。这里暂停了记录，你刚才说的我不会记住。",  # noqa: RUF001
    recall_off="这里暂停了回忆，所以我没有查找。",  # noqa: RUF001
)


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryState:
    """Whether new messages of the chat are remembered, and whether memories are recalled."""

    writes: bool = True
    recalls: bool = True


class MemoryResponder:
    """Quotes the memories in the prompt, which a language model would have seen."""

    def __init__(self, state: MemoryState = MemoryState()) -> None:
        self._state = state

    def reply(self, messages: Sequence[Message]) -> Iterator[str]:
        question = strip_fences(str(messages[-1]["content"]))
        words = _CHINESE if _HAN.search(question) else _ENGLISH
        yield words.opening
        for part in self._parts(messages, frozenset(terms(question)), words):
            yield f"\n\n{part}"

    def _parts(
        self, messages: Sequence[Message], wanted: frozenset[str], words: _Phrases
    ) -> list[str]:
        if notice := _notice(messages[-1]):
            return [notice]
        replayed = _replays(messages, words, wanted)
        also = [words.line.format(text=line) for line in _lines(messages, wanted)]
        found = [*replayed, *also[: max(0, _MAX_LINES - len(replayed))]]
        return found or [self._nothing(words)]

    def _nothing(self, words: _Phrases) -> str:
        if not self._state.recalls:
            return words.recall_off
        return words.nothing_found if self._state.writes else words.nothing_found_paused


def _notice(message: Message) -> str:
    """Returns what the memory says about a command in the message, whole; else nothing."""
    for block in _blocks(str(message["content"])):
        notice = block.strip().split(SEPARATOR)[0]
        if notice.startswith(_notice_beginnings()):
            return _ASKED.sub("", notice)
    return ""


@cache
def _notice_beginnings() -> tuple[str, ...]:
    """Returns the beginnings of all replies to commands, up to their first field."""
    texts = (text for code in LANGUAGES.values() for text in catalogue(code)["commands"].values())
    return tuple(start for text in texts if len(start := text.partition("{")[0]) >= _MIN_BEGINNING)


def _replays(messages: Sequence[Message], words: _Phrases, wanted: frozenset[str]) -> list[str]:
    """Quotes replayed exchanges, those with most words of the question first, then the newer."""
    found = []
    for asked, answered in pairwise(messages):
        match = _DATED.match(asked["content"]) if asked["role"] == Role.USER else None
        if (
            match
            and answered["role"] == Role.ASSISTANT
            and not _is_unanswered_question(match[2], answered)
        ):
            user, assistant = match[2], str(answered["content"]).partition(words.opening)[0]
            quoted = words.quoted_question.format(
                date=match[1], user=excerpt(user, _MAX_CHARS, words=wanted)
            )
            if reply := excerpt(assistant, _MAX_CHARS, words=wanted):
                quoted += words.quoted_answer.format(assistant=reply)
            found.append((_hits(f"{user} {assistant}", wanted), match[1], quoted))
    return [quoted for hits, _, quoted in sorted(found, reverse=True) if hits]


def _is_unanswered_question(user: str, answered: Message) -> bool:
    """Returns True for a question that this responder answered with a quote."""
    return _is_own_reply(str(answered["content"])) and bool(_QUESTION.search(user))


def _lines(messages: Sequence[Message], wanted: frozenset[str]) -> list[str]:
    """Returns the lines of the memory blocks that share words with the question, best first."""
    texts = [
        message["content"]
        for message in (messages[-1], *messages)
        if message["role"] != Role.ASSISTANT
    ]
    fenced = dict.fromkeys(block for text in texts for block in _blocks(text))
    blocks = [_BEFORE_QUOTE.sub(": ", block) for block in fenced]
    lines = (line for block in blocks for line in block.splitlines() if not _HEADING.search(line))
    found = [line.removeprefix("- ") for line in lines if _hits(line, wanted)]
    ranked = sorted(found, key=lambda line: -_hits(line, wanted))
    ranked = [line for line in ranked if _hits(line, wanted) * 2 >= _hits(ranked[0], wanted)]
    return [excerpt(line, _MAX_CHARS, words=wanted) for line in ranked if not _is_own_reply(line)]


def _blocks(text: str) -> list[str]:
    """Returns the fenced blocks. Stops at the last tail, behind which no block can end."""
    return _BLOCK.findall(text, 0, max(0, text.rfind(TAIL) + len(TAIL)))


def _is_own_reply(text: str) -> bool:
    return _ENGLISH.opening in text or _CHINESE.opening in text


def _hits(text: str, wanted: frozenset[str]) -> int:
    return len(wanted.intersection(terms(text)))
