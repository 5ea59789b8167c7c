"""Brings any text into a safe form: normal forms, visible control characters, no lone surrogates.

Normal forms take linear time; the usual ordering of combining marks is quadratic. Control
characters are escaped, so that no name or text steers a terminal or reorders a line. Lone
surrogates are replaced, which terminals and JSON let through and no encoder accepts.
"""

import re
import unicodedata
from typing import Literal

Form = Literal["NFC", "NFD", "NFKC", "NFKD"]

# The limit of Unicode's stream-safe text format (UAX #15, section 13): no script needs more.
_MAX_MARKS = 30
# Runs that may hold too many marks. Python counts only the two marks of halfwidth kana as letters.
_TOO_MANY = re.compile(rf"(?:[^\w\s\x00-\u02ff]|[\uff9e\uff9f]){{{_MAX_MARKS + 1},}}")
_LINE_ENDS = "\n\u2028\u2029"
# C0 and DEL, C1, and the marks that change the writing direction.
_CONTROLS = "\0-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069"
# Soft hyphen, marks of writing direction, zero-width spaces and joiners, byte order mark: keyboards
# and programs add them.
UNSEEN = "\u00ad\u061c\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff"
_UNSEEN_START = re.compile(rf"[\s{UNSEEN}]*[{UNSEEN}]")
_IN_TEXT = re.compile(f"[{_CONTROLS}\u2028\u2029]")
_IN_NAME = re.compile(f"[{_CONTROLS}\t{_LINE_ENDS}]")


def normalised(form: Form, text: str) -> str:
    """Returns the text in a normal form. Keeps the first 30 of many combining marks in a row."""
    if text.isascii():
        return text
    return unicodedata.normalize(form, _TOO_MANY.sub(_with_fewer_marks, text))


def _with_fewer_marks(run: re.Match[str]) -> str:
    chars: list[str] = []
    marks = 0
    for char in run.group():
        is_mark = unicodedata.combining(unicodedata.normalize("NFKD", char)[0]) != 0
        marks = marks + 1 if is_mark else 0
        if marks <= _MAX_MARKS:
            chars.append(char)
    return "".join(chars)


def without_unseen_start(text: str) -> str:
    """Returns the text without characters at its beginning that nobody sees."""
    if text[:1].isascii() and not text[:1].isspace():
        return text
    found = _UNSEEN_START.match(text)
    return text[found.end() :] if found else text


def visible_text(text: str) -> str:
    """Returns the text with every control character escaped, except line ends and tabs."""
    return _IN_TEXT.sub(_escaped, text)


def visible_name(name: str) -> str:
    """Returns the name with every control character escaped, line ends and tabs included."""
    return _IN_NAME.sub(_escaped, name)


def _escaped(found: re.Match[str]) -> str:
    return found[0].encode("unicode_escape").decode("ascii")


def well_formed(text: str) -> str:
    """Returns the text with every lone surrogate replaced by a question mark."""
    return text.encode("utf-8", "replace").decode("utf-8")


def is_well_formed(text: str) -> bool:
    """Returns whether the text has no lone surrogate."""
    return text.isascii() or well_formed(text) == text
