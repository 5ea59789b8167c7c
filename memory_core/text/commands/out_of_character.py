"""Strips the marks with which role players set what they say as themselves apart: "((ooc: …))"."""

# ruff: noqa: RUF001  (Chinese punctuation)

import re

from ...domain.unicode import without_unseen_start

_LABEL = re.compile(
    r"\s{0,9}[(（\[{]{0,2}\s?ooc\b\s?[)）\]}]{0,2}\s{0,3}[:：,，-]?\s{0,3}", re.IGNORECASE
)
_OPENED = re.compile(r"\s{0,9}[(（\[{]{1,2}(?=[^()（）\[\]{}]+[)）\]}]{1,2}\s*\Z)")
_CLOSED = " \t\r\n)）]}"
_MOST_BRACKETS = 2
_PAIRS = (("(", ")"), ("（", "）"), ("[", "]"), ("{", "}"))


def strip_marks(text: str) -> str:
    """Returns the text without such a label, without brackets around all of it, and without
    characters at its beginning that nobody sees.
    """
    text = without_unseen_start(text)
    if label := _LABEL.match(text):
        return _without_closing(text[label.end() :])
    opened = _OPENED.match(text)
    return text[opened.end() :].rstrip(_CLOSED) if opened else text


def _without_closing(text: str) -> str:
    """Returns the text without the brackets at its end that it does not open itself."""
    stripped = text.rstrip()
    for _ in range(_MOST_BRACKETS):
        if not any(_is_unopened(stripped, *pair) for pair in _PAIRS):
            break
        stripped = stripped[:-1].rstrip()
    return stripped


def _is_unopened(text: str, start: str, end: str) -> bool:
    return text.endswith(end) and text.count(end) > text.count(start)
