"""Estimates the number of tokens of a text without a tokenizer."""

import re

# Measured with the usual BPE vocabularies: a token is about four Latin letters or one CJK
# character. Characters of three bytes in UTF-8 and more count as wide.
_LATIN_CHARS_PER_TOKEN = 3.8
_WIDE_TOKENS_PER_CHAR = 1.0
_WIDE = re.compile("[\u2e80-\U0010ffff]")


def estimate_tokens(text: str) -> int:
    """Estimates by character classes, rather too high than too low; needs no model."""
    wide = 0 if text.isascii() else len(_WIDE.findall(text))
    narrow = len(text) - wide
    return int(wide * _WIDE_TOKENS_PER_CHAR + narrow / _LATIN_CHARS_PER_TOKEN + 0.999)


def beginning(text: str, tokens: int) -> str:
    """Returns as much of the beginning of a text as has about this number of tokens."""
    fits, exceeds = 0, len(text) + 1
    while exceeds - fits > 1:
        middle = (fits + exceeds) // 2
        if estimate_tokens(text[:middle]) <= tokens:
            fits = middle
        else:
            exceeds = middle
    return text[:fits]


def beginnings(first: str, second: str, tokens: int) -> tuple[str, str]:
    """Returns the beginnings of two texts, of equal length unless one of them is short."""
    half = tokens // 2
    spare = max(half - estimate_tokens(second), 0)
    first = beginning(first, half + spare)
    return first, beginning(second, tokens - estimate_tokens(first))
