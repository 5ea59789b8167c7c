"""Guesses the language of a short text, among those that have word lists of their own.

The script tells most of them apart. Languages in Latin letters are told by their function words.
"""

import re
from collections.abc import Sequence
from functools import cache

from .. import stopwords

LATIN = {
    "en": stopwords.ENGLISH,
    "de": stopwords.GERMAN,
    "es": stopwords.SPANISH,
    "fr": stopwords.FRENCH,
    "pt": stopwords.PORTUGUESE,
    "it": stopwords.ITALIAN,
    "pl": stopwords.POLISH,
    "tr": stopwords.TURKISH,
    "nl": stopwords.DUTCH,
}
_SCRIPTS = (
    ("ja", re.compile("[\u3040-\u30ff]")),
    ("zh", re.compile("[\u3400-\u4dbf\u4e00-\u9fff]")),
    ("ko", re.compile("[\uac00-\ud7af]")),
    ("uk", re.compile("[\u0404\u0406\u0407\u0454\u0456\u0457\u0490\u0491]")),
    ("ru", re.compile("[\u0400-\u052f]")),
    ("vi", re.compile("[\u01a0\u01a1\u01af\u01b0\u1ea0-\u1ef9]")),
    ("ar", re.compile("[\u0620-\u064a]")),
    ("hi", re.compile("[\u0900-\u097f]")),
    ("el", re.compile("[\u0370-\u03ff]")),
    ("th", re.compile("[\u0e00-\u0e7f]")),
)
_LATIN_WORD = re.compile("[a-z\u00df-\u00ff\u0100-\u024f]+")
_LONGEST = 2_000  # letters that are looked at


def languages_of(text: str) -> tuple[str, ...]:
    """Returns the likeliest language, or all that are equally likely, as ISO 639-1 codes.

    A text in Latin letters without any known function word may be in any of theirs; one in an
    unknown script is in none.
    """
    text = text[:_LONGEST].casefold()
    if not text.isascii():
        for language, letters in _SCRIPTS:
            if letters.search(text):
                return (language,)
    return latin_languages(_LATIN_WORD.findall(text))


def latin_languages(words: Sequence[str]) -> tuple[str, ...]:
    """Returns the likeliest languages of words in small Latin letters, none without words."""
    if not words:
        return ()
    known, votes = _function_words(), dict.fromkeys(LATIN, 0)
    for word in filter(known.__contains__, words):
        for language in known[word]:
            votes[language] += 1
    most = max(votes.values())
    return tuple(language for language, number in votes.items() if number == most)


@cache
def _function_words() -> dict[str, tuple[str, ...]]:
    """Maps each function word to the languages that have it."""
    found: dict[str, list[str]] = {}
    for language, words in LATIN.items():
        for word in dict.fromkeys(words.split()):
            found.setdefault(word, []).append(language)
    return {word: tuple(languages) for word, languages in found.items()}
