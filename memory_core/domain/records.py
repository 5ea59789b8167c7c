"""Frozen values that travel through the package; they depend on nothing but their own fields."""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from functools import lru_cache
from types import MappingProxyType
from typing import Any

from .derivations import Derivation
from .unicode import normalised

_CACHE_CHARS = 8_000
_NOTE_ID = 16
EMPTY_MAPPING: Mapping[str, Any] = MappingProxyType({})

DATE = "date"  # in an exchange's metadata, where an import guessed its ts
APPROXIMATE = "approximate"
UNKNOWN = "unknown"
REPEAT = "repeat"  # in an exchange's metadata: the chat showed the same exchange before


def empty_mapping() -> Mapping[str, Any]:
    """Returns an empty mapping; a default factory that dataclasses of Python 3.11 accept."""
    return EMPTY_MAPPING


def is_date_guessed(metadata: Mapping[str, Any]) -> bool:
    """Returns whether an import guessed the time; a foreign file's own `date` does not count."""
    return metadata.get(DATE) in (APPROXIMATE, UNKNOWN)


class Role(StrEnum):
    USER = "user"
    ASSISTANT = "assistant"
    SYSTEM = "system"
    TOOL = "tool"


class MemoryKind(StrEnum):
    EXCHANGE = "exchange"
    SUMMARY = "summary"
    OBSERVATION = "observation"
    INSIGHT = "insight"
    KNOWLEDGE = "knowledge"
    DIARY = "diary"


@dataclass(frozen=True, slots=True, kw_only=True)
class Turn:
    """One message. `ts` is in seconds since the epoch (UTC), None when unknown."""

    role: Role
    text: str
    name: str = ""
    ts: float | None = None
    metadata: Mapping[str, Any] = field(default_factory=lambda: EMPTY_MAPPING)


@dataclass(frozen=True, slots=True, kw_only=True)
class Exchange:
    """A user turn with its answer, the unit that is stored. Either text may be empty, not both.

    `turns` is filled only when the exchange is not a plain pair (tool calls, several answers).
    """

    user: str
    assistant: str
    user_name: str = ""
    assistant_name: str = ""
    ts: float | None = None
    channel: str = ""
    metadata: Mapping[str, Any] = field(default_factory=lambda: EMPTY_MAPPING)
    turns: tuple[Turn, ...] = ()

    @property
    def key(self) -> str:
        """Content key, equal for exchanges whose two texts are equal."""
        return content_key(self.user, self.assistant)

    @property
    def is_repeat(self) -> bool:
        """Whether the chat showed the same exchange before."""
        return bool(self.metadata.get(REPEAT))


@dataclass(frozen=True, slots=True, kw_only=True)
class Memory:
    """Anything that recall can return. Search covers `text`; an exchange also keeps its two sides.

    `conversation` is the one in which an exchange was said first, and `position` its position
    there. Knowledge that names a conversation applies to that conversation only. `sources` are the
    ids of the memories from which a derived one was made; `derived` says more about it.
    """

    id: str
    kind: MemoryKind
    text: str
    ts: float | None = None
    conversation: str = ""
    turn_id: int = 0
    position: float = 0.0
    exchange: Exchange | None = None
    pinned: bool = False
    sources: tuple[str, ...] = ()
    derived: Derivation | None = None

    @property
    def key(self) -> str:
        """Content key; equal texts in two conversations have one key."""
        return content_key(*self.sides)

    @property
    def sides(self) -> tuple[str, str]:
        """Texts of the user and of the character; a note has its text and an empty side."""
        return (self.exchange.user, self.exchange.assistant) if self.exchange else (self.text, "")

    @property
    def is_always_in_prompt(self) -> bool:
        return self.pinned or self.kind is MemoryKind.KNOWLEDGE

    @property
    def only_in_conversation(self) -> str:
        """Log of the one conversation to which the memory applies; empty if it applies to all."""
        return self.conversation if self.kind is MemoryKind.KNOWLEDGE else ""

    def applies_to(self, log: str) -> bool:
        return self.only_in_conversation in ("", log)


@dataclass(frozen=True, slots=True, kw_only=True)
class Note:
    """Something to remember that is not an exchange. `ts` is in seconds since the epoch or None.

    `sources` name the memories from which a derived note was made: in an import by their content
    keys, as `derived.superseded_by` does, and in the log by their ids. `conversation` is the name
    of the only one to which knowledge applies.
    """

    text: str
    kind: MemoryKind
    ts: float | None = None
    sources: tuple[str, ...] = ()
    derived: Derivation | None = None
    pinned: bool = False
    conversation: str = ""

    @property
    def id(self) -> str:
        """Equal for equal texts, so that a note added twice is one memory."""
        scope = f"{self.kind}\0{self.conversation}" if self.conversation else self.kind
        return content_key(scope, self.text)[:_NOTE_ID]


def mark_repeats(shown: Sequence[Exchange]) -> Sequence[Exchange]:
    """Returns a chat's exchanges, oldest first, with all but the first of equal ones marked.

    All stay in the result, because each has its own time in the chat. Recall returns one of them.
    """
    keys = [exchange.key for exchange in shown]
    first = {key: index for index, key in reversed([*enumerate(keys)])}
    if len(first) == len(keys):
        return shown
    return [
        exchange
        if first[key] == index
        else replace(exchange, metadata={**exchange.metadata, REPEAT: True})
        for index, (exchange, key) in enumerate(zip(shown, keys, strict=True))
    ]


def content_key(user: str, assistant: str) -> str:
    """Returns 32 hex digits of SHA-256 over both texts, each without outer blanks.

    Programs that rewrite a chat may change its Unicode form and line ends, so neither counts.
    """
    if len(user) + len(assistant) > _CACHE_CHARS:
        return uncached_content_key(user, assistant)
    return _cached_content_key(user, assistant)


def uncached_content_key(user: str, assistant: str) -> str:
    """Returns the content key of texts that are not needed again soon, bypassing the cache."""
    forms = (
        normalised("NFC", text.replace("\r\n", "\n").replace("\r", "\n"))
        for text in (user, assistant)
    )
    return verbatim_content_key(*forms)


def verbatim_content_key(user: str, assistant: str) -> str:
    """Returns the content key of two texts in one form, or as earlier versions computed it."""
    joined = f"{user.strip()}\x1f{assistant.strip()}"
    return hashlib.sha256(joined.encode("utf-8", "replace")).hexdigest()[:32]


# Each message of a chat compares all of its rows, often thousands, with the event log.
_cached_content_key = lru_cache(maxsize=16_384)(uncached_content_key)


def side_key(text: str) -> str:
    """Returns the content key of one message alone."""
    return content_key(text, "")
