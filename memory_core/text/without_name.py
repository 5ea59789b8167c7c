"""Removes a person's name from a text, with its possessive ending."""

import re
from functools import lru_cache

_HAN = re.compile("[\u3400-\u9fff]")


def without_name(text: str, name: str) -> str:
    """Returns the text without this name; the text itself if nothing else would be left."""
    if not name.strip():
        return text
    rest = " ".join(_pattern(name).sub(" ", text).split())
    return rest if any(map(str.isalnum, rest)) else text


@lru_cache(maxsize=64)
def _pattern(name: str) -> re.Pattern[str]:
    """Returns a pattern for the name as whole words; in Chinese, which has no blanks, anywhere."""
    if _HAN.search(name):
        return re.compile(re.escape(name))
    return re.compile(rf"(?<!\w){re.escape(name)}(?:['’]s)?(?!\w)", re.IGNORECASE)  # noqa: RUF001
