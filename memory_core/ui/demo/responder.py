"""Answers in the demo, from the configured language model or by quoting memories."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Protocol

from ...config.model_settings import BackendSettings
from ...domain.errors import LLMUnavailable
from ...domain.records import Role, Turn
from ...providers.llm.base import LanguageModel
from ...text.cleaning import ALSO, ALSO_ZH, OPENING, OPENING_ZH
from ...text.commands.parser import tells_only_of_the_memory
from ...text.excerpts import excerpt
from ...text.language import chat_language
from ...text.locales import (
    LANGUAGES,
    PROMPT_LANGUAGES,
    Words,
    load_texts,
    prompt_words,
    tab_words,
)
from ...text.prompt_fence import HEADS, SEPARATOR, TAIL, strip_fences
from ..tab.common.wording import day_text
from .demo_host import Message
from .message_matcher import MessageMatcher, PromptMemory, both_sides

_BLOCK = re.compile(f"(?:{HEADS})(.*?){re.escape(TAIL)}", re.DOTALL)
_ASKED = re.compile(r"^(?:The user asked what is remembered: |用户询问记住了什么[:：])")  # noqa: RUF001
# Notices address the model: "The user asked to forget: tea". Here they are shown to the user.
_TO_THE_READER = (
    (re.compile("^The user asked to "), "You asked me to "),
    (re.compile("^The user seems "), "You seem "),
    (re.compile("^The user "), "You "),
    (re.compile("^用户要求"), "你要我"),
    (re.compile("^用户"), "你"),
)
_IDS = re.compile(r" \[[0-9a-f]{8}\]$", re.MULTILINE)
_MIN_BEGINNING = 6
_SILENT = ("nothing_on", "nothing_between")  # notices that nothing is stored of a time
_MAX_CHARS = 260
_MAX_FURTHER = 2


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
    """The state of a chat: its messages are remembered (writes), memories recalled (recalls)."""

    writes: bool = True
    recalls: bool = True


class PromptMemories(Protocol):
    def latest(self) -> Sequence[PromptMemory]:
        """Returns the memories in the newest prompt of the chat, best first."""
        ...

    def about_user(self) -> Sequence[str]:
        """Returns the most telling statements of the users about themselves."""
        ...


class MemoryResponder:
    """Quotes the chat and the memories in the prompt, which a language model would have seen."""

    def __init__(
        self, state: MemoryState = MemoryState(), given: PromptMemories | None = None
    ) -> None:
        self._state = state
        self._given = given

    def reply(self, messages: Sequence[Message]) -> Iterator[str]:
        asked = MessageMatcher(strip_fences(messages[-1]["content"]))
        is_chinese = chat_language([asked.text]) == "zh"
        words = tab_words("zh" if is_chinese else "en")
        yield OPENING_ZH if is_chinese else OPENING
        if notice := _notice(messages[-1]):
            parts = [notice]
        else:
            quotes = _Quotes(asked, words, also=ALSO_ZH if is_chinese else ALSO)
            parts = self._parts(asked, messages[:-1], quotes, words)
        for part in parts:
            yield f"\n\n{part}"

    def _parts(
        self, asked: MessageMatcher, earlier: Sequence[Message], quotes: "_Quotes", words: Words
    ) -> list[str]:
        given = self._given.latest() if self._given else ()
        if asked.is_about_everything and self._state.recalls:
            about = self._given.about_user() if self._given else ()
            return quotes.overview(about) or [words["demo_know_nothing"]]
        if asked.is_pleasantry:
            return [words["demo_hello"], *quotes.further(asked.related(given))]
        if not asked.is_question:
            return self._reply_to_statement(asked, asked.related(given), quotes, words)
        said_here = asked.best_chat_message(_typed_messages(earlier), given)
        best_matches = asked.best_matches(given, said_here)
        if said_here:
            just_said = words("demo_just_said", user=excerpt(said_here, _MAX_CHARS))
            return [just_said, *quotes.further(best_matches)]
        nothing = words["demo_nothing" if self._state.recalls else "demo_recall_off"]
        return quotes.of(best_matches) or [nothing]

    def _reply_to_statement(
        self,
        asked: MessageMatcher,
        related: Sequence[PromptMemory],
        quotes: "_Quotes",
        words: Words,
    ) -> list[str]:
        """Promises to remember what is told. Wishes and the like only get quotes."""
        if not asked.tells_something:
            return quotes.of(related) or [words["demo_only_quotes"]]
        kept = words["demo_kept" if self._state.writes else "demo_not_kept"]
        return [kept, *quotes.further(related)]


@dataclass(frozen=True, slots=True)
class _Quotes:
    """Puts memories into sentences. `also` precedes those that only add to another."""

    asked: MessageMatcher
    words: Words
    also: str

    def of(self, best_matches: Sequence[PromptMemory]) -> list[str]:
        """Quotes the best memory whole, and the others as lines."""
        return [*map(self._full_quote, best_matches[:1]), *self.further(best_matches[1:])]

    def further(self, best_matches: Sequence[PromptMemory]) -> list[str]:
        return [f"{self.also}{self._line(one)}" for one in best_matches[:_MAX_FURTHER]]

    def overview(self, about: Sequence[str]) -> list[str]:
        """Quotes statements of the users about themselves, and names the place of the rest."""
        if not about:
            return []
        listed = "\n".join(f"- “{excerpt(text, _MAX_CHARS)}”" for text in about)
        return [f"{self.words['demo_know']}\n{listed}", self.words["demo_know_more"]]

    def _full_quote(self, one: PromptMemory) -> str:
        user, assistant = both_sides(one)
        key = "demo_told" if one.memory.exchange else "demo_noted"
        told = self.words(key, date=self._day(one), user=self._excerpt(user))
        if not assistant:
            return told
        return told + self.words("demo_answered", assistant=self._excerpt(assistant))

    def _line(self, one: PromptMemory) -> str:
        """Quotes the side that has more of the question's words."""
        user, assistant = both_sides(one)
        if self.asked.shared_weight(assistant) > self.asked.shared_weight(user):
            key, text = "demo_also_answered", assistant
        else:
            key, text = "demo_also_told" if one.memory.exchange else "demo_also_noted", user
        return self.words(key, date=self._day(one), text=self._excerpt(text))

    def _excerpt(self, text: str) -> str:
        return excerpt(text, _MAX_CHARS, words=frozenset(self.asked.weights))

    def _day(self, one: PromptMemory) -> str:
        day = day_text(one.memory.ts, self.words)
        return self.words["demo_some_day"] if day == self.words["day_unknown"] else day


def _typed_messages(earlier: Sequence[Message]) -> list[str]:
    """Returns the user's earlier messages in the prompt, without the blocks of memories.

    Wishes to forget are left out: they would quote what is to be forgotten.
    """
    typed = (strip_fences(message["content"]) for message in earlier if message["role"] == "user")
    return [text for text in typed if not tells_only_of_the_memory(text)]


def _notice(message: Message) -> str:
    """Returns the whole notice of the memory about the message, or ""."""
    for block in _blocks(message["content"]):
        notice = block.strip().split(SEPARATOR)[0]
        if notice.startswith(_notice_beginnings()):
            return _address_reader(_ASKED.sub("", notice))
    return ""


def _address_reader(notice: str) -> str:
    notice = _IDS.sub("", notice)  # a person only needs the numbers
    for start, spoken in _TO_THE_READER:
        if start.match(notice):
            return start.sub(spoken, notice)
    return notice


@cache
def _notice_beginnings() -> tuple[str, ...]:
    """Returns the beginnings of all notices that answer a message, up to their first field."""
    texts = [text for code in LANGUAGES.values() for text in load_texts(code)["commands"].values()]
    texts += [prompt_words(code).template(key) for code in PROMPT_LANGUAGES for key in _SILENT]
    return tuple(start for text in texts if len(start := text.partition("{")[0]) >= _MIN_BEGINNING)


def _blocks(text: str) -> list[str]:
    """Returns the fenced blocks. Stops at the last tail, after which no block can end."""
    return _BLOCK.findall(text, 0, max(0, text.rfind(TAIL) + len(TAIL)))
