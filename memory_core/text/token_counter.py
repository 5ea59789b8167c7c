"""How many tokens a text costs: the host's tokenizer where there is one, an estimate where not."""

import re
from collections.abc import Callable
from typing import Protocol

from ..infra.lru_cache import LRUCache

# Measured by the usual BPE vocabularies: about four Latin letters a token, and about one
# token for each CJK character; three bytes in UTF-8 is where the two meet.
_LATIN_CHARS_PER_TOKEN = 3.8
_WIDE_TOKENS_PER_CHAR = 1.0
_WIDE = re.compile("[\u2e80-\U0010ffff]")


class TokenCounter(Protocol):
    """Counts tokens. `name` says in the viewer and in benchmarks where the figure comes from."""

    name: str

    def count(self, text: str) -> int: ...


class EstimateCounter:
    """Counts by character classes, a little high rather than low; needs no model."""

    name = "estimate"

    def count(self, text: str) -> int:
        wide = 0 if text.isascii() else len(_WIDE.findall(text))
        narrow = len(text) - wide
        return int(wide * _WIDE_TOKENS_PER_CHAR + narrow / _LATIN_CHARS_PER_TOKEN + 0.999)


class CachedCounter:
    """Remembers the counts of the texts last asked for: one count may be an HTTP call."""

    def __init__(self, count: Callable[[str], int], *, name: str, size: int = 4096) -> None:
        self.name = name
        self._count = count
        self._known: LRUCache[str, int] = LRUCache(size)

    def count(self, text: str) -> int:
        known = self._known.get(text)
        if known is None:
            known = self._count(text)
            self._known.put(text, known)
        return known
