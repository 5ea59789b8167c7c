"""Finds the JSON object in what a language model wrote: thoughts, fences, words, slips."""

import ast
import json
import re
from typing import Any

_TAG = r"(?:think|thinking|reasoning)"
_THOUGHT = re.compile(rf"<{_TAG}>.*?(?:</{_TAG}>|\Z)", re.DOTALL | re.IGNORECASE)
_HEADLESS_THOUGHT = re.compile(rf"\A.*</{_TAG}>", re.DOTALL | re.IGNORECASE)
_CONSTANT = re.compile(r"\b(true|false|null)\b")
_PYTHON = {"true": "True", "false": "False", "null": "None"}
_LONGEST = 20_000
_MOST_BRACES = 40


def find_object(answer: str, *, having: str) -> dict[str, Any]:
    """The last object that has the key `having`. Raises ValueError where there is none.

    Forgives single quotes and trailing commas. Where the answer was cut off behind the list under
    `having`, the object is that list alone.
    """
    text = _HEADLESS_THOUGHT.sub("", _THOUGHT.sub("", answer))[-_LONGEST:]
    starts = [at for at, char in enumerate(text) if char == "{"][-_MOST_BRACES:]
    for at in reversed(starts):
        found = _strict(text[at:]) or _lenient(text[at:])
        if having in found:
            return found
    return {having: _list_alone(text, having)}


def _strict(text: str) -> dict[str, Any]:
    try:
        found: dict[str, Any] = json.JSONDecoder().raw_decode(text)[0]
    except (ValueError, RecursionError):
        return {}
    return found


def _lenient(text: str) -> dict[str, Any]:
    """Python's own literals allow both slips; the longest piece that is one is taken."""
    ends = [at for at, char in enumerate(text) if char == "}"][:_MOST_BRACES]
    for end in reversed(ends):
        piece = _CONSTANT.sub(lambda word: _PYTHON[word[0]], text[: end + 1])
        try:
            found = ast.literal_eval(piece)
        except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
            continue
        return found if isinstance(found, dict) else {}
    return {}


def _list_alone(text: str, name: str) -> list[str]:
    found = re.findall(rf"\b{re.escape(name)}\b[\"']?\s*[:=]\s*\[([^\[\]]*)\]", text)
    if not found:
        raise ValueError(f"no JSON object with {name!r} in the answer")
    return [item.strip(" \t\r\n\"'") for item in found[-1].split(",") if item.strip()]
