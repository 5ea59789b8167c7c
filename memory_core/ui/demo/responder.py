"""Answers in the demo, from the configured language model or by quoting memories."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Protocol

from ...config.model_settings import BackendSettings
from ...domain.errors import LLMUnavailable
from ...domain.records import Role, Turn
from ...providers.llm.base import LanguageModel
from ...text.cleaning import ALSO, ALSO_ZH, OPENING, OPENING_ZH, without_recital
from ...text.common_words import word_weights
from ...text.language import chat_language
from ...text.locales import LANGUAGES, Words, catalogue, tab_words
from ...text.prompt_fence import HEADS, SEPARATOR, TAIL, strip_fences
from ...text.questions import asks
from ...text.search_terms import terms
from ...text.sentences import excerpt, sentences
from ..tab.common.memory_text import day_text, sides
from .given import Given, GivenMemories, NoMemories
from .prompt import Message

_BLOCK = re.compile(f"(?:{HEADS})(.*?){re.escape(TAIL)}", re.DOTALL)
_ASKED = re.compile(r"^(?:The user asked what is remembered: |用户询问记住了什么[:：])")  # noqa: RUF001
_MIN_BEGINNING = 6
_MAX_CHARS = 260
_MAX_QUOTED = 3


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


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryState:
    """Tells of a chat if its messages are remembered, and if memories are recalled for it."""

    writes: bool = True
    recalls: bool = True


class MemoryResponder:
    """Quotes the memories in the prompt, which a language model would have seen."""

    def __init__(
        self, state: MemoryState = MemoryState(), given: GivenMemories | None = None
    ) -> None:
        self._state = state
        self._given = given or NoMemories()

    def reply(self, messages: Sequence[Message]) -> Iterator[str]:
        question = strip_fences(str(messages[-1]["content"]))
        is_chinese = chat_language([question]) == "zh"
        words = tab_words("zh" if is_chinese else "en")
        yield OPENING_ZH if is_chinese else OPENING
        if notice := _notice(messages[-1]):
            parts = [notice]
        else:
            also = ALSO_ZH if is_chinese else ALSO
            fitting = _fitting(self._given.latest(), question)
            parts = _quotes(fitting, frozenset(terms(question)), words, also)
        for part in parts or [self._nothing(words)]:
            yield f"\n\n{part}"

    def _nothing(self, words: Words) -> str:
        if not self._state.recalls:
            return words["demo_recall_off"]
        return words["demo_nothing" if self._state.writes else "demo_nothing_paused"]


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


def _quotes(fitting: Sequence[Given], wanted: frozenset[str], words: Words, also: str) -> list[str]:
    """Quotes the best memory whole, and the others as lines."""
    first = [_quote_whole(one, wanted, words) for one in fitting[:1]]
    return first + [f"{also}{_line(one, wanted, words)}" for one in fitting[1:_MAX_QUOTED]]


def _fitting(given: Sequence[Given], question: str) -> list[Given]:
    """Returns the memories that share most with the question, best first; rare words count most.

    If recall found some by meaning or date, none may share a word: then its best one.
    """
    quotable = [one for one in given if not _is_own_question(one)]
    weights = word_weights(frozenset(terms(question)), question)
    spoken = frozenset(question.lower().split())
    shared = {one.memory.id: _shared_weight(one.memory.text, weights) for one in quotable}
    most = max(shared.values(), default=0.0)
    if not most:
        return [one for one in quotable if one.is_recalled][:1]
    found = [one for one in quotable if shared[one.memory.id] * 2 > most]
    return sorted(found, key=lambda one: (-shared[one.memory.id], -_same_words(one, spoken)))


def _shared_weight(text: str, weights: Mapping[str, float]) -> float:
    return sum(weights[word] for word in set(terms(text)).intersection(weights))


def _same_words(one: Given, spoken: frozenset[str]) -> int:
    """Returns the number of words that the memory has exactly as the question has them."""
    return len(spoken.intersection(one.memory.text.lower().split()))


def _quote_whole(one: Given, wanted: frozenset[str], words: Words) -> str:
    user, assistant = _both_sides(one)
    told = words(
        "demo_told" if one.memory.exchange else "demo_noted",
        date=_day(one, words),
        user=excerpt(user, _MAX_CHARS, words=wanted),
    )
    if not assistant:
        return told
    answered = excerpt(assistant, _MAX_CHARS, words=wanted)
    return told + words("demo_answered", assistant=answered)


def _line(one: Given, wanted: frozenset[str], words: Words) -> str:
    best = max(_both_sides(one), key=lambda side: _hits(side, wanted))
    return f"{_day(one, words)}: “{excerpt(best, _MAX_CHARS, words=wanted)}”"


def _both_sides(one: Given) -> tuple[str, str]:
    user, assistant = sides(one.memory)
    return user, without_recital(assistant)


def _is_own_question(one: Given) -> bool:
    """Returns True for a question that has no answer but what this responder quoted."""
    user, assistant = _both_sides(one)
    return one.memory.exchange is not None and not assistant and all(map(asks, sentences(user)))


def _day(one: Given, words: Words) -> str:
    day = day_text(one.memory.ts, words)
    return words["demo_some_day"] if day == words["day_unknown"] else day


def _blocks(text: str) -> list[str]:
    """Returns the fenced blocks. Stops at the last tail, behind which no block can end."""
    return _BLOCK.findall(text, 0, max(0, text.rfind(TAIL) + len(TAIL)))


def _hits(text: str, wanted: frozenset[str]) -> int:
    return len(wanted.intersection(terms(text)))
