"""Finds words related in meaning, so that "apartment" can find "landlord" without a model.

Each language has a file, related_words/<language>.json: its everyday search terms, each with the
terms nearest in meaning and their nearness in percent. benchmarks/make_related_words.py makes them.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path

from .language import languages_of

FOLDER = Path(__file__).with_name("related_words")


def related_words(words: Iterable[str], text: str) -> dict[str, Mapping[str, float]]:
    """Returns the related terms of each search term that has any, with their nearness, 0 … 1.

    If the text may be in several languages, the terms of all of them are returned.
    """
    tables = [_table(language) for language in languages_of(text)]
    found = {word: _related(word, tables) for word in words}
    return {word: related for word, related in found.items() if related}


def lists_words_of(text: str) -> bool:
    """Returns whether a language that the text may be in has a file."""
    return any(map(_table, languages_of(text)))


def is_listed(term: str) -> bool:
    """Returns whether the search term is an everyday word of a language that has a file."""
    return any(term in _table(path.stem) for path in _files())


def _related(word: str, tables: Iterable[Mapping[str, str]]) -> dict[str, float]:
    related: dict[str, float] = {}
    for table in tables:
        parts = table.get(word, "").split()
        for term, percent in zip(parts[::2], parts[1::2], strict=True):
            related[term] = max(int(percent) / 100, related.get(term, 0.0))
    return related


@cache
def _files() -> Sequence[Path]:
    return sorted(FOLDER.glob("*.json"))


@cache
def _table(language: str) -> Mapping[str, str]:
    path = FOLDER / f"{language}.json"
    known: dict[str, str] = json.loads(path.read_text("utf-8")) if path.exists() else {}
    return known
