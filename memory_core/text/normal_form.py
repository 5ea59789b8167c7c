"""Unicode's normal forms in linear time: the usual ordering of combining marks is quadratic."""

import re
import unicodedata
from typing import Literal

Form = Literal["NFC", "NFD", "NFKC", "NFKD"]

# As Unicode's stream-safe text format has it (UAX #15, section 13): no writing needs more.
_MAX_MARKS = 30
# What may hold so many marks: no mark is a letter to Python but the two of halfwidth kana.
_MAY_BE_MARKS = re.compile(rf"(?:[^\w\s\x00-\u02ff]|[\uff9e\uff9f]){{{_MAX_MARKS + 1},}}")


def normalised(form: Form, text: str) -> str:
    """Returns the text in a normal form; of more than 30 combining marks in a row the first 30."""
    if text.isascii():
        return text
    return unicodedata.normalize(form, _MAY_BE_MARKS.sub(_with_fewer_marks, text))


def _with_fewer_marks(run: re.Match[str]) -> str:
    kept: list[str] = []
    marks = 0
    for char in run.group():
        is_mark = unicodedata.combining(unicodedata.normalize("NFKD", char)[0]) != 0
        marks = marks + 1 if is_mark else 0
        if marks <= _MAX_MARKS:
            kept.append(char)
    return "".join(kept)
