"""Phrases of a table of words, in which "_" is a blank: as patterns, and as keys of the table."""

import re
from collections.abc import Iterable

from .date_words import NEVER
from .rule_engine import LETTERS

_WORD = re.compile(rf"[{LETTERS}]+|[0-9]+|[^\W\d_]", re.IGNORECASE)


def number_of_each(names: Iterable[str], *, first: int) -> dict[str, int]:
    """Returns the number of each word; words of one name share a number."""
    return {word: number for number, name in enumerate(names, first) for word in name.split()}


def any_of(names: Iterable[str]) -> str:
    """Returns a pattern for any of the names, the longest first."""
    longest = sorted(filter(None, names), key=len, reverse=True)
    patterns = (r"\s+".join(map(re.escape, name.split("_"))) for name in longest)
    return "|".join(patterns).replace("'", "['\u2019]") or NEVER


def longest_word(name: str) -> str:
    return max(_WORD.findall(name.replace("_", " ")), key=len, default="")


def key_of(words: str) -> str:
    """Returns words in the form of the table's keys."""
    return "_".join(words.lower().replace("\u2019", "'").split())
