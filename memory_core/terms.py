"""Text to search terms, for every script: stemmed words, and character bigrams where no blanks are.

Stemming is Snowball's English (https://snowballstem.org) on ASCII words only. Chinese, Japanese,
Korean and Thai runs become overlapping pairs of characters, the usual choice where no segmenter
is at hand; a run of one character stays as it is.
"""

import re
import threading
import unicodedata
from collections.abc import Iterator
from functools import lru_cache
from itertools import pairwise
from typing import Any

_UNSPACED = (
    "\u0e00-\u0e7f"  # Thai
    "\u3005-\u3007\u3040-\u30ff\u31f0-\u31ff"  # kana
    "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"  # Han
    "\uac00-\ud7af"  # Hangul
)
# Vowel signs and accents written on their own belong to the word (Devanagari to Malayalam, Hebrew,
# Arabic, decomposed Latin); Python's \w leaves them out.
_MARKS = (
    "\u0300-\u036f\u0483-\u0487\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u0610-\u061a\u064b-\u065f"
    "\u0670\u0900-\u0963\u0971-\u0dff"
)
_WORD = rf"(?:[^\W_{_UNSPACED}]|[{_MARKS}])+"
_PIECE = re.compile(rf"[{_UNSPACED}]+|{_WORD}(?:['’]{_WORD})?")  # noqa: RUF001
_IS_UNSPACED = re.compile(rf"[{_UNSPACED}]")
_LONGEST = 40

# Function words carry no topic. English: articles, pronouns, auxiliaries, question words and the
# remains of contractions; Chinese: particles and pronouns that would otherwise pair with anything.
_STOP_TEXT = (
    "a about all am an and any are aren as at be been being but by can cannot could couldn d "
    "did didn do does doesn doing don for from had hadn has hasn have haven he her hers him "
    "his how i if in into is isn it its just ll m me might my no nor not of off on or our "
    "ours out re s she should shouldn so some such t than that the their theirs them then "
    "there these they this those to too us ve very was wasn we were weren what when where "
    "which who whom whose why will with won would wouldn you your yours "
)
STOP_WORDS = frozenset(_STOP_TEXT.split())
_STOP_CHARS = frozenset("的了吗呢吧啊呀嘛么是在有和与就都也很我你他她它们这那个不没")


def terms(text: str) -> list[str]:
    """The terms of a text in order, repeats included; stop words are left out."""
    return list(_terms(unicodedata.normalize("NFKC", text).casefold()))


def _terms(text: str) -> Iterator[str]:
    for match in _PIECE.finditer(text):
        piece = match.group()
        if _IS_UNSPACED.match(piece):
            yield from _pairs(piece)
        elif (word := _base(piece)) not in STOP_WORDS:
            yield _stem(word[:_LONGEST])


def _base(word: str) -> str:
    """The word before its apostrophe: don't → don, Ana's → ana."""
    return re.split("['’]", word, maxsplit=1)[0]  # noqa: RUF001


def _pairs(run: str) -> Iterator[str]:
    if len(run) == 1:
        if run not in _STOP_CHARS:
            yield run
        return
    for left, right in pairwise(run):
        if left not in _STOP_CHARS or right not in _STOP_CHARS:
            yield left + right


@lru_cache(maxsize=50_000)
def _stem(word: str) -> str:
    return str(_stemmer().stemWord(word)) if word.isascii() else word


_own = threading.local()


def _stemmer() -> Any:  # noqa: ANN401  (the library ships no types)
    """One for each thread: a Snowball stemmer keeps the word in hand in itself."""
    if not hasattr(_own, "stemmer"):
        import snowballstemmer

        _own.stemmer = snowballstemmer.stemmer("english")
    return _own.stemmer
