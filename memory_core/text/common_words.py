"""Weights words by their frequency in everyday chat: "get" and "last" say less than "dentist".

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
    """Returns a factor for each word, from 1 down to about 0.1 for the commonest.

    If the text may be in several languages, the language in which the word is rarest decides.
    """
    known_tables = _tables()
    tables = [known_tables[name] for name in languages_of(text) if name in known_tables]
    if not tables:
        return dict.fromkeys(words, 1.0)
    if len(tables) == 1:  # the usual case takes a third of the time
        known = tables[0]
        return {word: known.get(word, 1.0) for word in words}
    return {word: max([known.get(word, 1.0) for known in tables]) for word in words}


@cache
def _tables() -> Mapping[str, Mapping[str, float]]:
    """Returns the factor of each common term, by language code."""
    return {path.stem: _factors(path) for path in sorted(FOLDER.glob("*.json"))}


def _factors(path: Path) -> Mapping[str, float]:
    shares: Mapping[str, float] = json.loads(path.read_text(encoding="utf-8"))
    return {word: 1.0 / (1.0 + _DAMPING * share) for word, share in shares.items()}
