"""Removes sentences that state numbers or names of which the source says nothing."""

import re

from ..text.dates.english_words import LONG_MONTHS, LONG_WEEKDAYS
from ..text.sentences import sentences

_NUMBER = re.compile(r"\d+(?:[.,'\u2019]\d+)*")
_SEPARATORS = re.compile(r"[.,'\u2019]")
# A capital letter inside a sentence; at its beginning any word has one.
_CAPITALISED = r"[A-ZÀ-ÖØ-Þ][^\W\d_]{2,}"
_NAME = re.compile(rf"(?<=[^\W_] ){_CAPITALISED}|(?<=[^\W_][,;] ){_CAPITALISED}")
_COMMON = frozenset([*LONG_WEEKDAYS, *LONG_MONTHS, "english"])


def supported_sentences(summary: str, source: str) -> str:
    """Returns the sentences of a summary whose numbers and names stand in the source.

    Names are told by their capital letter, so that only Latin, and in German no nouns, are checked.
    """
    folded, numbers = source.casefold(), _numbers(source)
    is_capitalising = _capitalises_nouns(source)
    kept = [
        sentence
        for sentence in sentences(summary)
        if _numbers(sentence) <= numbers
        and (is_capitalising or all(name in folded for name in _names(sentence)))
    ]
    return " ".join(kept) if summary.isascii() or " " in summary else "".join(kept)


def _numbers(text: str) -> set[str]:
    return {_SEPARATORS.sub("", number).lstrip("0") for number in _NUMBER.findall(text)}


def _names(sentence: str) -> set[str]:
    return {name.casefold() for name in _NAME.findall(sentence)} - _COMMON


_MANY = 0.25


def _capitalises_nouns(text: str) -> bool:
    """Returns whether a quarter of the words inside sentences have capitals, as in German."""
    words = re.findall(r"(?<=[^\W_] )[^\W\d_]+", text)
    return bool(words) and sum(word[0].isupper() for word in words) >= _MANY * len(words)
