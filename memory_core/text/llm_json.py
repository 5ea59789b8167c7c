"""Reads JSON as models write it, with its slips, in one pass and up to where it breaks off."""

import json
import re
from typing import Any

# What may stand between two values: blanks, commas (Chinese ones too), comments.
_BETWEEN = re.compile(r"(?:[\s,，、;；]|//[^\n]*|\#(?=\s)[^\n]*|/\*.{0,200}?\*/)*", re.DOTALL)  # noqa: RUF001
_COLON = re.compile(r"\s*[:：=]")  # noqa: RUF001
_TEXT = re.compile(r'"((?:[^"\\]|\\.)*)"|\'((?:[^\'\\]|\\.)*)\'|[“”]([^“”]*)[“”]', re.DOTALL)
_WORD = re.compile(r"[^\s,，、;；:：={}\[\]\"'“”]+")  # noqa: RUF001
_DEEPEST = 20


class _Broken(Exception):
    """From here on the text cannot be read."""


def read_value(text: str, at: int) -> object:
    """The value that begins at `at`, None where none does.

    Forgives single, curly and no quotes, missing and trailing commas, comments, line breaks in
    texts. An object that breaks off has what stands before; a list that does so is none.
    """
    try:
        return _Reader(text, at).value(_DEEPEST)
    except _Broken:
        return None


class _Reader:
    def __init__(self, text: str, at: int) -> None:
        self._text = text
        self._at = at

    def value(self, depth: int) -> object:
        self._skip(_BETWEEN)
        if not depth:
            raise _Broken
        if self._takes("{"):
            return self._object(depth - 1)
        if self._takes("["):
            return self._list(depth - 1)
        return self._scalar()

    def _object(self, depth: int) -> dict[str, object]:
        found: dict[str, object] = {}
        try:
            while not self._ends("}"):
                key = str(self._scalar())
                if not self._skip(_COLON):
                    raise _Broken
                found[key] = self.value(depth)
        except _Broken:
            self._at = len(self._text)
        return found

    def _list(self, depth: int) -> list[object]:
        found: list[object] = []
        while not self._ends("]"):
            found.append(self.value(depth))
        return found

    def _scalar(self) -> object:
        if match := _TEXT.match(self._text, self._at):
            self._at = match.end()
            return _plain(match[1] or match[2] or match[3] or "")
        if match := _WORD.match(self._text, self._at):
            self._at = match.end()
            return _number_or_word(match[0])
        raise _Broken

    def _ends(self, closing: str) -> bool:
        self._skip(_BETWEEN)
        return self._takes(closing)

    def _takes(self, char: str) -> bool:
        is_there = self._text.startswith(char, self._at)
        self._at += is_there
        return is_there

    def _skip(self, pattern: re.Pattern[str]) -> bool:
        match = pattern.match(self._text, self._at)
        self._at = match.end() if match else self._at
        return match is not None


def _plain(text: str) -> str:
    """What the escapes in it stand for, where they are JSON's."""
    try:
        return str(json.loads(f'"{text}"', strict=False))
    except ValueError:
        return re.sub(r"\\(.)", r"\1", text, flags=re.DOTALL)


def _number_or_word(word: str) -> object:
    try:
        return json.loads(word)
    except ValueError:
        return word


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
_MAX_BRACES = 40


def find_object(answer: str, *, having: str) -> dict[str, Any]:
    """The last object that has the key `having`. Raises ValueError where there is none.

    Forgives what `read_value` does. Where the answer was cut off behind the value of `having`, or
    no object is around it, the object is what can be read, at least that value.
    """
    text = _without_thoughts(answer)[-_LONGEST:]
    last = text.rfind(having)
    starts = [at for at, char in enumerate(text[: last + 1]) if char == "{"][-_MAX_BRACES:]
    for at in reversed(starts):
        found = _parse_strict(text[at:]) or read_value(text, at)
        if isinstance(found, dict) and having in found:
            return found
    return {having: _value_alone(text, having)}


def _without_thoughts(answer: str) -> str:
    for thought in _THOUGHTS:
        answer = thought.sub("", answer)
    return answer


def _parse_strict(text: str) -> object:
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
