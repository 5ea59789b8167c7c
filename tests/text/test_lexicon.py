"""The weights of common words.

Words related in meaning, and the program that makes their tables.

Other spellings of search terms.
"""

import json
from pathlib import Path

import numpy as np
import pytest

from benchmarks.make_common_words import DATA as EXAMPLES
from benchmarks.make_common_words import common_words, examples
from benchmarks.make_related_words import DATA as VOCABULARIES
from benchmarks.make_related_words import related, words_by_term
from memory_core.text.lexicon import (
    COMMON_WORDS,
    RELATED_WORDS,
    may_be_misspelt,
    near_spellings,
    other_spellings,
    related_words,
    same_words,
    word_weights,
)
from memory_core.text.search_terms import terms
from tests.cases import for_each

COMMON_AND_TELLING = [
    ("what did i get from the dentist last", "get", "dentist"),
    ("was hab ich dem Zahnarzt nochmal gesagt", "nochmal", "zahnarzt"),
    ("¿qué me dijo ahora el dentista?", "ahora", "dentista"),
    ("c'est quand encore le dentiste", "encore", "dentiste"),
    ("что мне сегодня сказал стоматолог", "сегодня", "стоматолог"),
]


@for_each(("text", "common", "telling"), COMMON_AND_TELLING)
def test_common_word_weighs_less_than_a_telling_one(text: str, common: str, telling: str) -> None:
    (one,), (other,) = terms(common), terms(telling)
    found = word_weights([one, other], text)
    assert found[one] < 0.8 * found[other]


@for_each(
    ("text", "spelling", "telling"),
    [
        ("oye q tal la boda de tu hermana", "q", "boda"),
        ("xq no vino tu hermana a la boda", "xq", "boda"),
        ("mi hermana tb viene a la boda", "tb", "boda"),
        ("jsuis crevé après le mariage de ma cousine", "jsui", "creve"),
        ("pk elle est pas venue au mariage", "pk", "mariag"),
        ("haste den zahnarzt nochmal angerufen", "hast", "zahnarzt"),
        ("чё сказал стоматолог про мой зуб", "че", "стоматолог"),
    ],
)
def test_chat_spelling_of_a_stop_word_weighs_little(text: str, spelling: str, telling: str) -> None:
    weights = word_weights({spelling, telling}, text)
    assert weights[spelling] < 0.2 < 0.5 < weights[telling]


def test_chat_spelling_of_another_language_keeps_its_weight() -> None:
    text = "which pk does the table have, and is the disk of 2 tb full?"
    assert word_weights({"pk", "tb"}, text) == {"pk": 1.0, "tb": 1.0}


def test_word_of_another_language_keeps_its_weight() -> None:
    (german,) = terms("nochmal")
    assert word_weights([german], "what was the nochmal thing again, tell me") == {german: 1.0}


def test_words_of_an_unknown_language_keep_their_weight() -> None:
    assert word_weights(["απο", "σημερα"], "τι ωρα ειναι σημερα") == {"απο": 1.0, "σημερα": 1.0}


def test_common_words_counts_texts_and_leaves_out_rare_terms() -> None:
    texts = ["sleep well, sleep tight", *["good day"] * 998, "walrus"]
    found = common_words(texts)
    assert "walru" not in found
    assert found[terms("day")[0]] == 0.998


def test_common_words_leaves_out_single_characters() -> None:
    assert all(len(term) > 1 for term in common_words(["我想睡觉", "我想吃饭"]))


def test_stored_tables_are_those_of_the_examples() -> None:
    for path in sorted(EXAMPLES.glob("*.tsv")):
        stored = json.loads((COMMON_WORDS / f"{path.stem}.json").read_text(encoding="utf-8"))
        assert stored == common_words(examples(path)), "run benchmarks/make_common_words.py"


def _term(word: str) -> str:
    (term,) = terms(word)
    return term


@pytest.mark.parametrize(
    ("text", "word", "wanted"),
    [
        ("who is my dentist", "dentist", "tooth"),
        ("when do i get my paycheck", "paycheck", "wage"),
        ("is the flat near my apartment", "apartment", "landlord"),
    ],
)
def test_word_of_the_texts_language_has_related_terms(text: str, word: str, wanted: str) -> None:
    found = related_words([_term(word)], text)
    assert 0.0 < found[_term(word)][_term(wanted)] <= 1.0


def test_word_is_not_related_to_itself() -> None:
    assert "dog" not in related_words(["dog"], "what is my dog called")["dog"]


@pytest.mark.parametrize("text", ["wann gehe ich zum dentist", "τι ωρα ειναι σημερα", "😀", ""])
def test_text_in_a_language_without_a_table_has_no_related_words(text: str) -> None:
    assert related_words(["dentist"], text) == {}


def test_text_that_may_be_in_several_languages_has_the_related_words_of_all() -> None:
    assert "dental" in related_words(["dentist"], "dentist")["dentist"]


def test_words_by_term_leaves_out_words_without_exactly_one_term() -> None:
    assert words_by_term(["dogs", "dog", "the", "well-known"]) == {"dog": ["dogs", "dog"]}


def test_related_compares_the_nearest_words_and_omits_what_is_far() -> None:
    words = {"bank": ["bank", "banks"], "shore": ["shore"], "coin": ["coin"], "owl": ["owl"]}
    vectors = np.array(
        [[1, 0, 0], [0, 1, 0], [1, 0, 0], [0, 0.6, 0.8], [0, 0, -1]], dtype=np.float32
    )
    assert dict(related(words, vectors)) == {
        "bank": "shore 100 coin 50",
        "shore": "bank 100",
        "coin": "bank 50",
    }


@pytest.mark.parametrize(
    "path", sorted(RELATED_WORDS.glob("*.json")), ids=lambda path: str(path.stem)
)
def test_stored_table_has_the_terms_of_its_vocabulary_alone(path: Path) -> None:
    table = json.loads(path.read_text(encoding="utf-8"))
    known = words_by_term((VOCABULARIES / f"{path.stem}.txt").read_text(encoding="utf-8").split())
    listed = {term for row in table.values() for term in row.split()[::2]}
    assert set(table) | listed <= set(known), "run benchmarks/make_related_words.py"


@for_each(
    ("typed", "meant"),
    [
        ("nmae", "name"),
        ("teahcer", "teacher"),
        ("brothr", "brother"),
        ("sisster", "sister"),
        ("docter", "doctor"),
        ("apartmant", "apartment"),
        ("кушдряшов", "кудряшов"),
    ],
)
def test_slip_of_the_fingers_stands_for_the_meant_term(typed: str, meant: str) -> None:
    assert may_be_misspelt(typed)
    assert meant in near_spellings(typed)


@for_each(
    ("one", "other"),
    [
        ("maria", "marta"),
        ("lena", "lina"),
        ("house", "mouse"),
        ("marti", "martin"),
        ("jonas", "jones"),
    ],
)
def test_short_term_with_another_letter_is_another_word(one: str, other: str) -> None:
    assert other not in near_spellings(one)


@for_each("term", ["hors", "dentist", "cat", "x" * 30, "пр", "abc1234", "naïve", "狗狗狗狗"])
def test_known_words_and_what_is_no_word_are_not_misspelt(term: str) -> None:
    assert not may_be_misspelt(term)


def test_term_is_no_near_spelling_of_itself() -> None:
    assert "letter" not in near_spellings("letter")
    assert len(near_spellings("letter")) == len(set(near_spellings("letter")))


def test_shorter_terms_may_be_misspelt_where_the_right_words_are_known() -> None:
    assert "sister" not in near_spellings("sistr")
    assert "sister" in near_spellings("sistr", in_listed_language=True)


def test_short_and_long_forms_are_the_same_word() -> None:
    assert same_words("bday") == ("birthday",)
    assert "mother" in same_words("mom")
    assert same_words(*terms("зубной")) == tuple(terms("стоматолог дантист"))
    assert "wifi" in same_words(*terms("вайфай"))
    assert same_words("lamp") == ()


def test_other_spellings_are_short_forms_and_what_a_word_may_be_misspelt_for() -> None:
    found = other_spellings(["bday", "teahcer", "dentist"], "the teahcer has a bday")
    assert "birthday" in found["bday"]
    assert "teacher" in found["teahcer"]
    assert found["dentist"] == []
