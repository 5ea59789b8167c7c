"""Recognises answers that small models copied from the prompt: from an example or the question."""

import json
from collections.abc import Iterator, Sequence
from typing import Any

from ..domain.errors import BadAnswer
from ..domain.records import Role, Turn

_COPIED = "the answer repeats the prompt"
_TEXT = "text"  # the key that holds the text of a fact or an insight
_SHORTEST = 20  # letters of a text that is no chance; those of Chinese count twice


class CopyCheck:
    """Checks answers to one prompt: the examples are its assistant's turns."""

    def __init__(self, turns: Sequence[Turn]) -> None:
        examples = [turn.text for turn in turns if turn.role is Role.ASSISTANT]
        self._examples = {
            letters for text in examples for letters in _texts_in_json(text) if _is_long(letters)
        }
        opening = _opening(_letters(turns[-1].text))
        self._opening = opening if _is_long(opening) else ""

    def without_copies(self, answer: dict[str, Any]) -> dict[str, Any]:
        """Returns the answer without copied items. Raises BadAnswer if nothing else is left."""
        kept = {key: self._kept(value) for key, value in answer.items()}
        if any(answer[key] and not value for key, value in kept.items()):
            raise BadAnswer(_COPIED)
        return kept

    def _kept(self, value: object) -> object:
        if isinstance(value, str):
            return "" if self._is_copied(value) else value
        if isinstance(value, list):
            return [one for one in value if not self._is_copied_item(one)]
        return value

    def _is_copied_item(self, item: object) -> bool:
        text = item.get(_TEXT) if isinstance(item, dict) else None
        return isinstance(text, str) and self._is_copied(text)

    def _is_copied(self, text: str) -> bool:
        letters = _letters(text)
        return letters in self._examples or bool(self._opening and self._opening in letters)


def _texts_in_json(example: str) -> Iterator[str]:
    try:
        values = json.loads(example).values()
    except (ValueError, AttributeError, RecursionError):
        return
    for value in values:
        for item in value if isinstance(value, list) else [value]:
            text = item.get(_TEXT) if isinstance(item, dict) else item
            if isinstance(text, str):
                yield _letters(text)


def _opening(letters: str) -> str:
    size = next((n for n in range(len(letters)) if _is_long(letters[:n])), 0)
    return letters[:size]


def _is_long(letters: str) -> bool:
    return sum(1 if letter.isascii() else 2 for letter in letters) >= _SHORTEST


def _letters(text: str) -> str:
    return "".join(filter(str.isalnum, text.casefold()))
