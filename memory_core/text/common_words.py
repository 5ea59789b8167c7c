"""Tells how much a word says in everyday chat: "get" and "last" say less than "dentist".

In a short history a common word may be as rare as a name. Each language has a file,
common_words/<language>.json: its common search terms, each with the share of everyday messages that
contain the term. benchmarks/make_common_words.py counts them.
"""

import json
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path

from .language import languages_of

FOLDER = Path(__file__).with_name("common_words")
_DAMPING = 50.0  # a word in a fiftieth of all messages counts half


def word_weights(words: Iterable[str], text: str) -> dict[str, float]:
    """Returns a factor for each word, 1 down to about 0.1: the commoner, the smaller.

    Where the text may be in several languages, the one in which the word is rarest decides.
    """
    tables = [_tables()[name] for name in languages_of(text) if name in _tables()]
    return {word: _weight(word, tables) for word in words}


def _weight(word: str, tables: Iterable[Mapping[str, float]]) -> float:
    share = min((table.get(word, 0.0) for table in tables), default=0.0)
    return 1.0 / (1.0 + _DAMPING * share)


@cache
def _tables() -> Mapping[str, Mapping[str, float]]:
    """Returns the share of messages with each common term, by language code."""
    return {
        path.stem: json.loads(path.read_text(encoding="utf-8"))
        for path in sorted(FOLDER.glob("*.json"))
    }
