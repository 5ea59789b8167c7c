"""Words related in meaning, and the program that makes their tables."""

import json
from pathlib import Path

import numpy as np
import pytest

from benchmarks.make_related_words import DATA, related, words_by_term
from memory_core.text.related_words import FOLDER, related_words
from memory_core.text.search_terms import terms


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


@pytest.mark.parametrize("path", sorted(FOLDER.glob("*.json")), ids=lambda path: str(path.stem))
def test_stored_table_has_the_terms_of_its_vocabulary_alone(path: Path) -> None:
    table = json.loads(path.read_text(encoding="utf-8"))
    known = words_by_term((DATA / f"{path.stem}.txt").read_text(encoding="utf-8").split())
    listed = {term for row in table.values() for term in row.split()[::2]}
    assert set(table) | listed <= set(known), "run benchmarks/make_related_words.py"
