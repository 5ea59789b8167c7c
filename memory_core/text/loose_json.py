"""Finds the JSON object in what a language model wrote: thoughts, fences, words, slips."""

import json
import re
from typing import Any

from .llm_json import read_value

_TAG = r"(?:think|thinking|thought|reasoning|reflection)"
_THOUGHTS = (
    re.compile(rf"<{_TAG}>.*?(?:</{_TAG}>|\Z)", re.DOTALL | re.IGNORECASE),
    re.compile(r"\[THINK\].*?(?:\[/THINK\]|\Z)", re.DOTALL),
    re.compile(r"◁think▷.*?(?:◁/think▷|\Z)", re.DOTALL),
    re.compile(r"<\|channel\|>analysis.*?(?:<\|end\|>|<\|channel\|>final|\Z)", re.DOTALL),
    # Templates that open the thought themselves leave only its end in the answer.
    re.compile(rf"\A.*(?:</{_TAG}>|\[/THINK\]|◁/think▷)", re.DOTALL | re.IGNORECASE),
)
_LONGEST = 20_000
_MOST_BRACES = 40


def find_object(answer: str, *, having: str) -> dict[str, Any]:
    """The last object that has the key `having`. Raises ValueError where there is none.

    Forgives what `read_value` does. Where the answer was cut off behind the value of `having`, or
    no object is around it, the object is what can be read, at least that value.
    """
    text = _without_thoughts(answer)[-_LONGEST:]
    last = text.rfind(having)
    starts = [at for at, char in enumerate(text[: last + 1]) if char == "{"][-_MOST_BRACES:]
    for at in reversed(starts):
        found = _strict(text[at:]) or read_value(text, at)
        if isinstance(found, dict) and having in found:
            return found
    return {having: _value_alone(text, having)}


def _without_thoughts(answer: str) -> str:
    for thought in _THOUGHTS:
        answer = thought.sub("", answer)
    return answer


def _strict(text: str) -> object:
    try:
        return json.JSONDecoder().raw_decode(text)[0]
    except (ValueError, RecursionError):
        return None


def _value_alone(text: str, name: str) -> list[object]:
    keys = re.finditer(rf"\b{re.escape(name)}\b\\?[\"'”`]?\s*[:：=]", text)  # noqa: RUF001
    found = [read_value(text, key.end()) for key in list(keys)[-1:]]
    if not found or not isinstance(found[0], list):
        raise ValueError(f"no JSON object with {name!r} in the answer")
    return found[0]
