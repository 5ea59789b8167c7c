"""Quotes a server's refusal, unless it repeats the request.

Some servers answer a bad request with the request itself. Error messages reach the log, the
banner and the queue of jobs, where no memory may appear.
"""

import json
import re
from collections.abc import Iterator

_LONGEST_QUOTE = 200
_RUN, _FOREIGN_RUN = 12, 4  # letters; a shorter common run may be chance
_SHORTEST_TEXT = 4
_TEXT_KEYS = ("messages", "input", "query", "documents", "prompt")
_ESCAPE = re.compile(r"\\(?:u([0-9a-fA-F]{4})|[nrt])")
_CONTEXT = re.compile(
    r"context[ _-]?(?:length|size|window)|context the overflows"
    r"|max(?:imum)?[ _](?:model|seq(?:uence)?)[ _]len(?:gth)?"
)
_EXCEEDED = re.compile(
    r"exceed|longer|larger|greater|maximum|too (?:long|large|small)|overflow|only"
)
_ROLES = re.compile(
    r"system (?:role|message|prompt)|role\W+system|roles? must alternate|only (?:the )?user and"
)
REPEATS = "its message repeats what was asked, and is left out"


def quoted_refusal(refusal: str, sent: bytes) -> str:
    """Returns the beginning of the refusal in one line. `sent` is the JSON that was refused."""
    quote = " ".join(refusal.split())[:_LONGEST_QUOTE]
    plain = _ESCAPE.sub(lambda found: chr(int(found[1], 16)) if found[1] else " ", quote)
    return REPEATS if _repeats(_letters(plain), sent) else quote


def is_too_long(refusal: str) -> bool:
    """Returns whether a server refuses a request because its model's context is too short."""
    folded = refusal.casefold()
    return bool(_CONTEXT.search(folded) and _EXCEEDED.search(folded))


def refuses_roles(refusal: str) -> bool:
    """Returns whether a chat template refuses the system role, or two messages of one role."""
    return bool(_ROLES.search(refusal.casefold()))


def _repeats(quote: str, sent: bytes) -> bool:
    texts = [_letters(text) for text in _sent_texts(sent)]
    if any(len(text) >= _SHORTEST_TEXT and text in quote for text in texts):
        return True
    whole = "\n".join(texts)
    return any(run in whole for run in _runs(quote))


def _runs(quote: str) -> Iterator[str]:
    for start in range(len(quote)):
        size = _RUN if quote[start].isascii() else _FOREIGN_RUN
        if start + size <= len(quote):
            yield quote[start : start + size]


def _letters(text: str) -> str:
    return "".join(filter(str.isalnum, text.casefold()))


def _sent_texts(sent: bytes) -> Iterator[str]:
    try:
        body = json.loads(sent)
    except (ValueError, RecursionError):
        body = {}
    if isinstance(body, dict):
        yield from _texts_in([body.get(key) for key in _TEXT_KEYS])


def _texts_in(value: object) -> Iterator[str]:
    """Yields the texts of messages, which may have several parts, and of plain lists."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        for item in value:
            yield from _texts_in(item)
    elif isinstance(value, dict):
        yield from _texts_in([value.get("content"), value.get("text")])
