"""Removes sentences with numbers or names that the source lacks."""

import re

from ..text.dates.english_words import LONG_MONTHS, LONG_WEEKDAYS
from ..text.language import languages_of
from ..text.sentences import sentences

_NUMBER = re.compile(r"\d+(?:[.,'\u2019]\d+)*")
_SEPARATORS = re.compile(r"[.,'\u2019]")
# A capital letter inside a sentence; any word has one at the beginning.
_CAPITALISED = r"[A-ZÀ-ÖØ-Þ][^\W\d_]{2,}"
_NAME = re.compile(rf"(?<=[^\W_] ){_CAPITALISED}|(?<=[^\W_][,;] ){_CAPITALISED}")
_COMMON = frozenset([*LONG_WEEKDAYS, *LONG_MONTHS, "english"])


def supported_sentences(summary: str, source: str) -> str:
    """Returns the sentences of a summary whose numbers and names occur in the source.

    What has neither letters nor digits is no sentence. Names are recognised by their capital
    letter, so those in German are not checked.
    """
    folded, numbers = source.casefold(), _numbers(source)
    has_capital_nouns = "de" in languages_of(source)
    kept = [
        sentence
        for sentence in sentences(summary)
        if any(map(str.isalnum, sentence))
        and _numbers(sentence) <= numbers
        and (has_capital_nouns or all(name in folded for name in _names(sentence)))
    ]
    return " ".join(kept) if summary.isascii() or " " in summary else "".join(kept)


def _numbers(text: str) -> set[str]:
    return {_SEPARATORS.sub("", number).lstrip("0") for number in _NUMBER.findall(text)}


def _names(sentence: str) -> set[str]:
    return {name.casefold() for name in _NAME.findall(sentence)} - _COMMON
