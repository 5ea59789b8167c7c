"""Golden conversations as values, and checks of the statements in an observation.

`data/golden/README.md` gives the meaning of each part; `golden.py` reads the files.
"""

import re
import unicodedata
from calendar import monthrange
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime
from typing import NamedTuple

# An observation with one of these words says that it is about play, a dream or an idea.
_FRAMED = re.compile(
    r"\b(role.?play|pretend|imagin|hypothe|would\b|if\b|dream|novel|fiction|story\b|game|film|movie"
    r"|quot|jok|sarcas|ironic|lied\b|scam|horoscope|(?:'s|her|his|their|player) character)"
    r"|角色|扮演|假装|假如|如果|要是|想象|假设|梦|小说|故事|剧本|游戏|电影|台词|玩笑|反话|讽刺|骗|出戏"
)
_LATIN = "a-zà-öø-ɏ"


class Place(NamedTuple):
    """An exchange of a history, both counted from 0."""

    session: int
    exchange: int


@dataclass(frozen=True, slots=True)
class Span:
    """The days, both included, that an event may have had."""

    first: date
    last: date


@dataclass(frozen=True, slots=True, kw_only=True)
class Exchange:
    user: str
    answer: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Session:
    """`started` is local time."""

    started: datetime
    exchanges: Sequence[Exchange]


@dataclass(frozen=True, slots=True, kw_only=True)
class Fact:
    """`about` is "user", "assistant" or a name; `words` are alternatives."""

    id: str
    about: str
    place: Place
    words: Sequence[Sequence[str]]
    superseded_by: str | None
    event: Span | None

    def is_stated_by(self, observation: str) -> bool:
        return has_words(observation, self.words)


@dataclass(frozen=True, slots=True, kw_only=True)
class Fiction:
    """Words of an exchange that no observation of it may assert."""

    place: Place
    words: Sequence[Sequence[str]]

    def is_asserted_by(self, observation: str) -> bool:
        """Returns whether an observation, which must not be flagged as fiction, asserts it."""
        framed = _FRAMED.search(_folded(observation)) is not None
        return not framed and has_words(observation, self.words)


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """`wants` is the id of the fact that answers; `avoids` that of one that misleads."""

    text: str
    wants: str
    avoids: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class History:
    """`language` is the file's name; facts of one group in `repeats` say the same."""

    name: str
    language: str
    user_name: str
    assistant_name: str
    sessions: Sequence[Session]
    facts: Sequence[Fact]
    fiction: Sequence[Fiction]
    repeats: Sequence[Sequence[str]]
    not_superseded: Sequence[str]
    questions: Sequence[Question]

    def exchange(self, place: Place) -> Exchange:
        """Returns the exchange at this place. Raises IndexError for an unknown place."""
        if min(place) < 0:
            raise IndexError(f"a place counts from 0: {list(place)}")
        return self.sessions[place.session].exchanges[place.exchange]

    def fact(self, id_: str) -> Fact:
        """Returns the fact with this id. Raises KeyError for an unknown id."""
        return {fact.id: fact for fact in self.facts}[id_]


def has_words(text: str, alternatives: Sequence[Sequence[str]]) -> bool:
    """Returns whether a text has every word of one of the alternatives."""
    return any(all(has_word(text, word) for word in words) for words in alternatives)


def has_word(text: str, word: str) -> bool:
    """Returns whether a word of the text begins so: "marr" is in "married", "art" not in "start".

    Case, width and composition of letters do not matter. Digits are whole numbers: "2" is not in
    "2025". In Chinese any place counts.
    """
    sought = _folded(word)
    before = rf"(?<![{_LATIN}])" if re.match(rf"[{_LATIN}]", sought) else ""
    before = r"(?<!\d)" if sought[0].isdigit() else before
    after = r"(?!\d)" if sought[-1].isdigit() else ""
    return re.search(before + re.escape(sought) + after, _folded(text)) is not None


def _folded(text: str) -> str:
    return unicodedata.normalize("NFKC", text).casefold()


def read_span(text: str) -> Span:
    """Reads "2025", "2025-03", "2025-03-07" or an interval of two such dates, "2024-06/2024-08".

    Raises ValueError for anything else.
    """
    first, _, last = text.partition("/")
    return Span(_days(first).first, _days(last or first).last)


def _days(text: str) -> Span:
    if not re.fullmatch(r"\d{4}(-\d\d){0,2}", text):
        raise ValueError(f"{text!r} is not a year, a month or a day such as 2025-03-07")
    year, *month_and_day = map(int, text.split("-"))
    first = date(year, *[*month_and_day, 1, 1][:2])
    if len(month_and_day) == 2:
        return Span(first, first)
    month = first.month if month_and_day else 12
    return Span(first, date(year, month, monthrange(year, month)[1]))
