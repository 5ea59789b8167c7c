"""Removes the greeting that a message begins with: "Hi Mira, where …" asks nothing about "hi"."""

# ruff: noqa: RUF001  (Cyrillic and Chinese letters)

import re
from collections.abc import Sequence
from functools import lru_cache

_SPACED = (
    r"hi|hello|hey|hiya|heya|good\s(?:morning|afternoon|evening)"
    r"|hallo|moin|servus|guten?\s(?:morgen|tag|abend)|hola|buenos\sdías|buenas(?:\s(?:tardes|noches))?"
    r"|salut|bonjour|bonsoir|coucou|привет|здравствуй(?:те)?|добр(?:ый|ое)\s(?:день|вечер|утро)"
)
_WITHOUT_BLANKS = (
    r"早上好|晚上好|下午好|早安|晚安|你好|您好|嗨|哈喽"
    r"|おはよう(?:ございます)?|こんにちは|こんばんは"
)
_TO_WHOM = r"there|again|(?:my\s)?(?:dear|friend|love)|liebe[rs]?|呀|啊"
_MARKS = r"[\s,，、!！.。…:：;；~～—-]"


def without_greeting(text: str, names: Sequence[str] = ()) -> str:
    """Returns the text without its greeting and the name greeted.

    Returns the text itself if nothing else would be left.
    """
    match = _pattern(tuple(names)).match(text)
    rest = text[match.end() :] if match else text
    return rest if any(map(str.isalnum, rest)) else text


@lru_cache(maxsize=64)
def _pattern(names: tuple[str, ...]) -> re.Pattern[str]:
    """Returns a pattern of the greeting; without blanks, a mark or a name has to follow it."""
    named = "|".join(re.escape(name) for name in names if name.strip()) or "(?!)"
    to_whom = rf"(?:{_MARKS}*(?:{_TO_WHOM})(?![a-z]))?"
    return re.compile(
        rf"""[\s"“「(*]*+(?:
        (?:{_SPACED})\b(?!['’-]\w){to_whom}(?:{_MARKS}*(?:{named})(?!\w))?{_MARKS}*
        |(?:{_WITHOUT_BLANKS}){to_whom}(?:{_MARKS}*(?:{named}){_MARKS}*|{_MARKS}+)
        )""",
        re.IGNORECASE | re.VERBOSE,
    )
