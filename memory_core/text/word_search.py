"""Searches a text for any of many words.

Texts are searched in lower case, which takes half as long as ignoring the case. ASCII texts are
searched without the words of languages without blanks, which saves another half. Words are grouped
by their first letter, so that each place of a text is compared with few of them.
"""

import re
from collections.abc import Callable, Iterable, Iterator

_MAX_CHARS = 2_000  # the rest of a text is ignored
_FIRST_LETTER = re.compile(r"[^\W\d_](?![?*+{])")


def one_of(words: str) -> re.Pattern[str]:
    """Returns a pattern for whole words, which are themselves patterns in lower case."""
    groups: dict[str, list[str]] = {}
    for word in _alternatives(words):
        letter = found[0] if (found := _FIRST_LETTER.match(word)) else ""
        groups.setdefault(letter, []).append(word[len(letter) :])
    grouped = "|".join(f"{letter}(?:{'|'.join(rest)})" for letter, rest in groups.items())
    return re.compile(rf"(?<!\w)(?:{grouped})(?!\w)", re.MULTILINE)


def _alternatives(pattern: str) -> Iterator[str]:
    """Yields the alternatives of a pattern without escaped brackets."""
    depth = start = 0
    for index, letter in enumerate(pattern):
        depth += (letter == "(") - (letter == ")")
        if letter == "|" and not depth:
            yield pattern[start:index]
            start = index + 1
    yield pattern[start:]


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
