"""Searches a text for any of many words.

Texts are searched in lower case, which takes half as long as ignoring the case. ASCII texts are
searched without the words of languages without blanks, which saves another half.
"""

import re
from collections.abc import Callable, Iterable

_MAX_CHARS = 2_000  # the rest of a text is ignored


def one_of(words: str) -> re.Pattern[str]:
    """Returns a pattern for whole words, which are themselves patterns in lower case."""
    return re.compile(rf"(?<!\w)(?:{words})(?!\w)", re.MULTILINE)


def search_for(words: Iterable[str], unspaced: str) -> Callable[[str], bool]:
    """Returns a function that reports whether a text has one of the words.

    `unspaced` are those of languages without blanks: none of them may be in ASCII.
    """
    spaced = one_of("|".join(words))
    whole = re.compile(f"{spaced.pattern}|{unspaced}", re.MULTILINE)

    def has(text: str) -> bool:
        text = text[:_MAX_CHARS].lower()
        return bool((spaced if text.isascii() else whole).search(text))

    return has
