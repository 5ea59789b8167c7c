"""Other spellings of search terms."""

from memory_core.text.spellings import (
    may_be_misspelt,
    near_spellings,
    other_spellings,
    same_words,
)
from tests.cases import for_each


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
    assert same_words("lamp") == ()


def test_other_spellings_are_short_forms_and_what_a_word_may_be_misspelt_for() -> None:
    found = other_spellings(["bday", "teahcer", "dentist"], "the teahcer has a bday")
    assert "birthday" in found["bday"]
    assert "teacher" in found["teahcer"]
    assert found["dentist"] == []
