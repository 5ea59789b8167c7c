"""Knows single words: their frequency, their kin in meaning, and their other spellings.

"get" and "last" say less than "dentist", "apartment" can find "landlord" without a model, "bday"
and "birthday" are the same word, and "teahcer" may stand for "teacher".

Each language has two files. common_words/<language>.json has the common search terms, each with the
share of everyday messages that contain it; in a short history a common word may be as rare as a
name. related_words/<language>.json has the everyday search terms, each with the terms nearest in
meaning and their nearness in percent. benchmarks/make_common_words.py and make_related_words.py
make them. Chat spellings of stop words ("tmb") count little, too.
"""

# ruff: noqa: RUF001

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path

from .language import languages_of
from .search_terms import terms

COMMON_WORDS = Path(__file__).with_name("common_words")
_DAMPING = 50.0  # a word in a fiftieth of all messages counts half
_STOP_FACTOR = 0.1  # of a chat spelling of a stop word
# Chat spellings of stop words: "q" for "que", "jsuis" for "je suis". A name or a term of another
# language may be among them ("pk", "tb"), so they count in a message of their own language alone.
# English abbreviates no more than the stop words do: there, "n" and "w" helped less than they cost.
_CHAT_SPELLINGS = {
    "de": "net ned ni nix nüscht nen ner hab ham hamm haste biste kannste aufm aufn aufs inner "
    "inne anner anne vonner vonnem ausm ausn fürn füs son sone weils aba oda",
    "es": "q qe k ke xq pq xk porq tb tmb tbn tmbn x cm cmo ta sta toy",
    "fr": "jsuis jsui chuis chui jai g jé javais jme jte jle jla jles jlui jvais jfais jsais "
    "cest c cé cetait cétait ct ya q k ke pk pkoi koi qd kan ac ns vs",
    "ru": "че чо шо што тя мя ток тока када скока скок ещо тож мб оч",
}


def word_weights(words: Iterable[str], text: str) -> dict[str, float]:
    """Returns a factor for each word, from 1 down to about 0.1 for the commonest.

    If the text may be in several languages, the language in which the word is rarest decides.
    """
    known_tables = _weights_by_language()
    tables = [known_tables[name] for name in languages_of(text) if name in known_tables]
    if not tables:
        return dict.fromkeys(words, 1.0)
    if len(tables) == 1:  # the usual case takes a third of the time
        known = tables[0]
        return {word: known.get(word, 1.0) for word in words}
    return {word: max([known.get(word, 1.0) for known in tables]) for word in words}


@cache
def _weights_by_language() -> Mapping[str, Mapping[str, float]]:
    """Returns the factor of each common term, by language code."""
    return {path.stem: _factors(path) for path in sorted(COMMON_WORDS.glob("*.json"))}


def _factors(path: Path) -> Mapping[str, float]:
    shares: Mapping[str, float] = json.loads(path.read_text(encoding="utf-8"))
    factors = {word: 1.0 / (1.0 + _DAMPING * share) for word, share in shares.items()}
    spellings = terms(_CHAT_SPELLINGS.get(path.stem, ""))
    return factors | dict.fromkeys(spellings, _STOP_FACTOR)


RELATED_WORDS = Path(__file__).with_name("related_words")


def related_words(words: Iterable[str], text: str) -> dict[str, Mapping[str, float]]:
    """Returns the related terms of each search term that has any, with their nearness, 0 … 1.

    If the text may be in several languages, the terms of all of them are returned.
    """
    tables = [_related_by_word(language) for language in languages_of(text)]
    found = {word: _related(word, tables) for word in words}
    return {word: related for word, related in found.items() if related}


def lists_words_of(text: str) -> bool:
    """Returns whether a language that the text may be in has a file."""
    return any(map(_related_by_word, languages_of(text)))


def is_listed(term: str) -> bool:
    """Returns whether the search term is an everyday word of a language that has a file."""
    return any(term in _related_by_word(path.stem) for path in _related_files())


def _related(word: str, tables: Iterable[Mapping[str, str]]) -> dict[str, float]:
    related: dict[str, float] = {}
    for table in tables:
        parts = table.get(word, "").split()
        for term, percent in zip(parts[::2], parts[1::2], strict=True):
            related[term] = max(int(percent) / 100, related.get(term, 0.0))
    return related


@cache
def _related_files() -> Sequence[Path]:
    return sorted(RELATED_WORDS.glob("*.json"))


@cache
def _related_by_word(language: str) -> Mapping[str, str]:
    path = RELATED_WORDS / f"{language}.json"
    known: dict[str, str] = json.loads(path.read_text("utf-8")) if path.exists() else {}
    return known


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
папа отец батя
мамуля мама
дедуля дедушка
сестра сеструха сестренка
брат братишка братан
дочь дочка доча
подруга подружка
кот котик котэ
пес песик собака
др днюха рождения
квартира хата
машина тачка
магазин магаз
больница больничка
стоматолог зубной дантист
телевизор телек телик
фотография фото фотка
ноутбук ноут
интернет инет
вайфай wifi
велосипед велик
преподаватель препод
общежитие общага
начальник босс
инстаграм инста
телеграм тг телега
ютуб youtube
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
    return _forms_by_word().get(term, ())


@cache
def _forms_by_word() -> Mapping[str, tuple[str, ...]]:
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
    for index in range(1, len(word) - 1):
        yield word[:index] + word[index + 1] + word[index] + word[index + 2 :]


def _shorter_or_longer(word: str) -> Iterator[str]:
    letters = _alphabet(word)
    for index in range(1, len(word) + 1):
        yield word[:index] + word[index + 1 :]
        yield from [word[:index] + letter + word[index:] for letter in letters]


def _with_other_letter(word: str) -> Iterator[str]:
    if len(word) < _MIN_OTHER_VOWEL:
        return
    letters = _alphabet(word)
    for index, own in enumerate(word[1:], start=1):
        for letter in letters:
            if len(word) >= _MIN_OTHER or (own in _VOWELS and letter in _VOWELS):
                yield word[:index] + letter + word[index + 1 :]


def _alphabet(word: str) -> str:
    return next((letters for letters in _ALPHABETS if set(word) <= set(letters)), "")
