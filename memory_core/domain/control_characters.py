"""Escapes control characters, so that no name or text steers a terminal or reorders a line."""

import re

_LINE_ENDS = "\n\u2028\u2029"
# C0 and DEL, C1, and the marks that change the writing direction.
_CONTROLS = "\0-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"
_IN_TEXT = re.compile(f"[{_CONTROLS}\u2028\u2029]")
_IN_NAME = re.compile(f"[{_CONTROLS}\t{_LINE_ENDS}]")


def visible_text(text: str) -> str:
    """Returns the text with every control character escaped, except line ends and tabs."""
    return _IN_TEXT.sub(_escaped, text)


def visible_name(name: str) -> str:
    """Returns the name with every control character escaped, line ends and tabs included."""
    return _IN_NAME.sub(_escaped, name)


def _escaped(found: re.Match[str]) -> str:
    return found[0].encode("unicode_escape").decode("ascii")
