"""Lists other spellings of search terms: short and long forms, and those of a misspelt word.

"bday" and "birthday" are the same word, and "teahcer" may stand for "teacher".
"""

# ruff: noqa: RUF001

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cache

from .related_words import is_listed, lists_words_of
from .search_terms import terms

_WORD = re.compile(r"[^\W\d_]+")
_ALPHABETS = ("abcdefghijklmnopqrstuvwxyz", "абвгдежзийклмнопрстуфхцчшщъыьэюя")
_VOWELS = frozenset("aeiouyаеиоуыэюя")
_MIN_LETTERS, _MAX_LETTERS = 4, 16
# Short words with another letter are other words: "Marta" is not "Maria", "Fisch" not "frisch".
_MIN_ADDED, _MIN_ADDED_IF_LISTED = 6, 5
_MIN_OTHER_VOWEL, _MIN_OTHER = 6, 7
_GROUPS = """
bday birthday
appt appointment
apt apartment
bf boyfriend
gf girlfriend
doc doctor dr
meds medication
uni university
prof professor
hw homework
sis sister
bro brother
grandma granny nana gran grandmother
grandpa grandad granddad gramps grandfather
mum mom mummy mommy mother
dad daddy father
hubby husband
wifey wife
fave fav favourite favorite
colour color
tv telly television
fridge refrigerator
bike bicycle
pw password
info information
xmas christmas
vacay vacation holiday
cumple cumpleaños
peli película
cole colegio
profe profesor profesora
bici bicicleta
mama madre
papa padre
anniv anniversaire
appart appartement
ordi ordinateur
resto restaurant
boulot travail
oma großmutter
opa großvater
mama mutter
papa vater
arzt doktor
универ университет
комп компьютер
бабуля бабушка
мама мать
папа отец
"""


def other_spellings(words: Iterable[str], text: str) -> dict[str, list[str]]:
    """Returns for each term of a text its short or long forms, and what it may be misspelt for."""
    words = list(words)
    meant = meant_terms(words, text)
    return {word: [*same_words(word), *meant.get(word, ())] for word in words}


def meant_terms(words: Iterable[str], text: str) -> dict[str, list[str]]:
    """Returns for each term of a text that may be misspelt the terms that it may stand for.

    The word is corrected as it was typed, since an ending may hide in a misspelt word: "choclates".
    """
    typed = {term: word for word in _WORD.findall(text.lower()) for term in terms(word)}
    is_listed_language = lists_words_of(text)
    near = {
        word: near_spellings(typed.get(word, word), in_listed_language=is_listed_language)
        for word in words
        if may_be_misspelt(word)
    }
    return {word: list(dict.fromkeys(terms(" ".join(found)))) for word, found in near.items()}


def same_words(term: str) -> tuple[str, ...]:
    """Returns the other search terms of the same meaning."""
    return _table().get(term, ())


@cache
def _table() -> Mapping[str, tuple[str, ...]]:
    table: dict[str, tuple[str, ...]] = {}
    for line in _GROUPS.split("\n"):
        group = dict.fromkeys(terms(line))
        for term in group:
            others = (other for other in group if other != term)
            table[term] = tuple(dict.fromkeys((*table.get(term, ()), *others)))
    return table


def may_be_misspelt(term: str) -> bool:
    """Returns whether a term that no memory contains may be a slip of the fingers."""
    has_length = _MIN_LETTERS <= len(term) <= _MAX_LETTERS
    return has_length and _alphabet(term) != "" and not is_listed(term)


def near_spellings(word: str, *, in_listed_language: bool = False) -> list[str]:
    """Returns the words that differ from this one by one slip behind the first letter.

    A slip swaps two neighbours, leaves out a letter, adds one or types another one. If the word is
    in a language whose everyday words are listed, and is none of them, a shorter one may be a slip.
    """
    found = [*_swapped(word), *_with_other_letter(word)]
    if len(word) >= (_MIN_ADDED_IF_LISTED if in_listed_language else _MIN_ADDED):
        found.extend(_shorter_or_longer(word))
    return [spelling for spelling in dict.fromkeys(found) if spelling != word]


def _swapped(word: str) -> Iterator[str]:
    for at in range(1, len(word) - 1):
        yield word[:at] + word[at + 1] + word[at] + word[at + 2 :]


def _shorter_or_longer(word: str) -> Iterator[str]:
    letters = _alphabet(word)
    for at in range(1, len(word) + 1):
        yield word[:at] + word[at + 1 :]
        yield from [word[:at] + letter + word[at:] for letter in letters]


def _with_other_letter(word: str) -> Iterator[str]:
    if len(word) < _MIN_OTHER_VOWEL:
        return
    letters = _alphabet(word)
    for at, own in enumerate(word[1:], start=1):
        for letter in letters:
            if len(word) >= _MIN_OTHER or (own in _VOWELS and letter in _VOWELS):
                yield word[:at] + letter + word[at + 1 :]


def _alphabet(word: str) -> str:
    return next((letters for letters in _ALPHABETS if set(word) <= set(letters)), "")
