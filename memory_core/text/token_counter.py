"""Counts the tokens of a text with the host's tokenizer, or estimates them without one."""

import re
from collections.abc import Callable

from ..infra.lru_cache import LRUCache

# Measured with the usual BPE vocabularies: a token is about four Latin letters or one CJK
# character. Characters of three bytes in UTF-8 and more count as wide.
_LATIN_CHARS_PER_TOKEN = 3.8
_WIDE_TOKENS_PER_CHAR = 1.0
_MAX_CACHED = 4096
_WIDE = re.compile("[\u2e80-\U0010ffff]")


class EstimateCounter:
    """Estimates by character classes, rather too high than too low; needs no model."""

    name = "estimate"

    def count(self, text: str) -> int:
        wide = 0 if text.isascii() else len(_WIDE.findall(text))
        narrow = len(text) - wide
        return int(wide * _WIDE_TOKENS_PER_CHAR + narrow / _LATIN_CHARS_PER_TOKEN + 0.999)


def beginning(text: str, tokens: int) -> str:
    """Returns as much of the beginning of a text as has about this number of tokens."""
    count = EstimateCounter().count
    fits, exceeds = 0, len(text) + 1
    while exceeds - fits > 1:
        middle = (fits + exceeds) // 2
        if count(text[:middle]) <= tokens:
            fits = middle
        else:
            exceeds = middle
    return text[:fits]


def beginnings(first: str, second: str, tokens: int) -> tuple[str, str]:
    """Returns the beginnings of two texts, of equal length unless one of them is short."""
    half = tokens // 2
    count = EstimateCounter().count
    spare = max(half - count(second), 0)
    first = beginning(first, half + spare)
    return first, beginning(second, tokens - count(first))


class CachedCounter:
    """Caches the counts of recent texts, because one count may be an HTTP call."""

    def __init__(self, count: Callable[[str], int]) -> None:
        self._count = count
        self._known: LRUCache[str, int] = LRUCache(_MAX_CACHED)

    def count(self, text: str) -> int:
        known = self._known.get(text)
        if known is None:
            known = self._count(text)
            self._known.put(text, known)
        return known
