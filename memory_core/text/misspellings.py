"""Lists the terms that a misspelt one may stand for: "teahcer" for "teacher"."""

# ruff: noqa: RUF001

from collections.abc import Iterator

from .related_words import is_listed

_ALPHABETS = ("abcdefghijklmnopqrstuvwxyz", "абвгдежзийклмнопрстуфхцчшщъыьэюя")
_VOWELS = frozenset("aeiouyаеиоуыэюя")
_MIN_LETTERS, _MAX_LETTERS = 4, 16
# Short words with another letter are other words: "Marta" is not "Maria", "Fisch" not "frisch".
_MIN_ADDED, _MIN_ADDED_IF_LISTED = 6, 5
_MIN_OTHER_VOWEL, _MIN_OTHER = 6, 7


def may_be_misspelt(term: str) -> bool:
    """Returns whether a term that no memory contains may be a slip of the fingers."""
    has_length = _MIN_LETTERS <= len(term) <= _MAX_LETTERS
    return has_length and _alphabet(term) != "" and not is_listed(term)


def near_spellings(term: str, *, in_listed_language: bool = False) -> list[str]:
    """Returns the terms that differ from this one by one slip behind the first letter.

    A slip swaps two neighbours, leaves out a letter, adds one or types another one. If the term is
    in a language whose everyday words are listed, and is none of them, a shorter one may be a slip.
    """
    found = [*_swapped(term), *_with_other_letter(term)]
    if len(term) >= (_MIN_ADDED_IF_LISTED if in_listed_language else _MIN_ADDED):
        found.extend(_shorter_or_longer(term))
    return [spelling for spelling in dict.fromkeys(found) if spelling != term]


def _swapped(term: str) -> Iterator[str]:
    for at in range(1, len(term) - 1):
        yield term[:at] + term[at + 1] + term[at] + term[at + 2 :]


def _shorter_or_longer(term: str) -> Iterator[str]:
    for at in range(1, len(term) + 1):
        yield term[:at] + term[at + 1 :]
        yield from (term[:at] + letter + term[at:] for letter in _alphabet(term))


def _with_other_letter(term: str) -> Iterator[str]:
    if len(term) < _MIN_OTHER_VOWEL:
        return
    for at, own in enumerate(term[1:], start=1):
        for letter in _alphabet(term):
            if len(term) >= _MIN_OTHER or (own in _VOWELS and letter in _VOWELS):
                yield term[:at] + letter + term[at + 1 :]


def _alphabet(term: str) -> str:
    return next((letters for letters in _ALPHABETS if set(term) <= set(letters)), "")
