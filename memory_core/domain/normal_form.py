"""Unicode normal forms in linear time. The usual ordering of combining marks is quadratic."""

import re
import unicodedata
from typing import Literal

Form = Literal["NFC", "NFD", "NFKC", "NFKD"]

# The limit of Unicode's stream-safe text format (UAX #15, section 13): no script needs more.
_MAX_MARKS = 30
# Runs that may hold too many marks. Python counts only the two marks of halfwidth kana as letters.
_TOO_MANY = re.compile(rf"(?:[^\w\s\x00-\u02ff]|[\uff9e\uff9f]){{{_MAX_MARKS + 1},}}")


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
