"""Corrects misspelt words of dates: "tommorow", "Febrar", "в суботу"."""

import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache, lru_cache
from itertools import chain

from ..related_words import is_listed
from ..search_terms import terms
from ..spellings import near_spellings
from . import french, german, russian, spanish
from .date_words import DateWords
from .english_words import LONG_MONTHS, LONG_WEEKDAYS

_LANGUAGES: tuple[DateWords, ...] = tuple(it.WORDS for it in (german, spanish, french, russian))
_ENGLISH = (*LONG_MONTHS, *LONG_WEEKDAYS, "tomorrow", "yesterday", "tonight", "weekend")
# More than one slip, or another last letter.
_COMMON = {
    "tommorow": "tomorrow",
    "tommorrow": "tomorrow",
    "tomorow": "tomorrow",
    "tomoro": "tomorrow",
    "2moro": "tomorrow",
    "2morrow": "tomorrow",
    "yesturday": "yesterday",
    "yday": "yesterday",
    "wensday": "wednesday",
    "wendsday": "wednesday",
    "weds": "wednesday",
    "2nite": "tonight",
    "2night": "tonight",
    "tonite": "tonight",
    "wkend": "weekend",
    "wknd": "weekend",
    "gestan": "gestern",
    "ojourdhui": "aujourd'hui",
    "aujourdhui": "aujourd'hui",
    "сёдня": "сегодня",
    "седня": "сегодня",
    "завтр": "завтра",
}
_OTHER_WORDS = frozenset("morgan demian javier domino gesten pasado pesado".split())  # noqa: SIM905
_MIN_LETTERS = 6
_MOST_OTHER = 2  # letters that one of two words lacks, if one was typed for another
_MAX_CHARS = 20_000  # the rest of a text is not corrected
_WORD = re.compile(r"[^\W_]{4,20}")


def has_misspelt_date(text: str) -> bool:
    return any(_meant(word.lower()) for word in _WORD.findall(text, 0, _MAX_CHARS))


def correct_dates(text: str) -> tuple[str, Callable[[int], int]]:
    """Returns the text with corrected words of dates, and a function that maps a position in it
    back to the text.
    """
    result, ends = "", [(0, 0)]  # ends of the corrected words: in the result and in the text
    for match in _WORD.finditer(text, 0, _MAX_CHARS):
        if meant := _meant(match.group().lower()):
            result += text[ends[-1][1] : match.start()] + meant
            ends.append((len(result), match.end()))

    def original(position: int) -> int:
        number = bisect_right(ends, (position, len(text)))
        corrected, own = ends[number - 1]
        limit = ends[number][1] if number < len(ends) else len(text)
        return min(own + position - corrected, limit)

    return result + text[ends[-1][1] :], original


@lru_cache(maxsize=20_000)
def _meant(word: str) -> str:
    """Returns the word of a date that a misspelt word in lower case stands for, or ""."""
    if word in _COMMON:
        return _COMMON[word]
    if len(word) < _MIN_LETTERS - 1 or not any(_may_mean(word, it) for it in _alike(word)):
        return ""
    if word in _words() or word in _OTHER_WORDS:
        return ""
    meant = next((it for it in near_spellings(word) if it in _words()), "")
    is_slip = meant[-1:] == word[-1] and not any(map(is_listed, terms(word)))
    return meant if is_slip else ""


@cache
def _words() -> frozenset[str]:
    tables = (chain(table.months, table.weekdays, table.days) for table in _LANGUAGES)
    found: Iterable[str] = chain(_ENGLISH, chain.from_iterable(tables))
    words = chain.from_iterable(entry.replace("_", " ").split() for entry in found)
    return frozenset(word for word in words if len(word) >= _MIN_LETTERS and word.isalpha())


def _alike(word: str) -> Sequence[str]:
    """Returns the words of dates that begin and end with the same letters."""
    return _by_ends().get(word[0] + word[-1], ())


def _may_mean(word: str, other: str) -> bool:
    """Returns False where more than one slip is between the two; in far less time than a search."""
    return abs(len(word) - len(other)) <= 1 and len(set(word) ^ set(other)) <= _MOST_OTHER


@cache
def _by_ends() -> Mapping[str, Sequence[str]]:
    found: dict[str, list[str]] = {}
    for word in _words():
        found.setdefault(word[0] + word[-1], []).append(word)
    return found
