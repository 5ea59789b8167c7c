"""Removes sentences that the source does not support, and those that state nothing."""

import re

from ..domain.errors import BadAnswer
from ..text.dates.english_words import LONG_MONTHS, LONG_WEEKDAYS
from ..text.language import languages_of
from ..text.search_terms import indivisible_terms
from ..text.sentences import sentences
from .non_statements import is_in_foreign_script, states_nothing

NOT_SUPPORTED = (
    "it states facts, numbers or names that the chat does not contain, refuses, or is in another "
    "language"
)
_NUMBER = re.compile(r"\d+(?:[.,'\u2019]\d+)*")
_SEPARATORS = re.compile(r"[.,'\u2019]")
# A capital letter inside a sentence; any word has one at the beginning.
_CAPITALISED = r"[A-ZÀ-ÖØ-Þ][^\W\d_]{2,}"
_NAME = re.compile(rf"(?<=[^\W_] ){_CAPITALISED}|(?<=[^\W_][,;] ){_CAPITALISED}")
_COMMON = frozenset([*LONG_WEEKDAYS, *LONG_MONTHS, "english"])


def supported_sentences(summary: str, source: str) -> str:
    """Returns the sentences of a summary whose numbers and names occur in the source.

    Refusals, placeholders and sentences in another script are cut, too. What has neither letters
    nor digits is no sentence. Names are recognised by their capital letter, so those in German are
    not checked.
    """
    folded, numbers = source.casefold(), _numbers(source)
    has_capital_nouns = "de" in languages_of(source)
    kept = [
        sentence
        for sentence in sentences(summary)
        if any(map(str.isalnum, sentence))
        and not states_nothing(sentence)
        and not is_in_foreign_script(sentence, source)
        and _numbers(sentence) <= numbers
        and (has_capital_nouns or all(name in folded for name in _names(sentence)))
    ]
    return " ".join(kept) if summary.isascii() or " " in summary else "".join(kept)


def supported_summary(summary: str, *, source: str, said: str) -> str:
    """Returns the supported sentences of a summary, which may be empty, in one line.

    Raises BadAnswer if none is supported, or if they share no content word with what was said.
    """
    written = " ".join(summary.split())
    supported = supported_sentences(written, source)
    if written and not (supported and _shares_words(supported, said)):
        raise BadAnswer(NOT_SUPPORTED)
    return supported


def _shares_words(summary: str, said: str) -> bool:
    return bool(indivisible_terms(summary) & indivisible_terms(said))


def _numbers(text: str) -> set[str]:
    return {_SEPARATORS.sub("", number).lstrip("0") for number in _NUMBER.findall(text)}


def _names(sentence: str) -> set[str]:
    return {name.casefold() for name in _NAME.findall(sentence)} - _COMMON
