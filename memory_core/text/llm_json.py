"""Reads JSON as models write it, with its slips, in one pass and up to where it breaks off."""

import json
import re

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
