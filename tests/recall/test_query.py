"""The query without the names of those who talk."""

import pytest

from memory_core.recall.query import Query


def query(text: str, *names: str) -> Query:
    return Query(text=text, names=names)


def test_words_are_search_terms_without_the_names() -> None:
    assert query("Mira, do you remember Ana's dogs?", "Ana", "Mira").words == ["rememb", "dog"]


def test_a_chinese_name_is_no_word() -> None:
    assert query("小明", "小明").words == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Mira, what is my dog called?", ", what is my dog called?"),
        ("MIRA knows", "knows"),
        ("Miranda knows", "Miranda knows"),
        ("Mira", "Mira"),
    ],
)
def test_the_embedder_gets_the_text_without_names_but_never_nothing(
    text: str, expected: str
) -> None:
    assert query(text, "Ana", "Mira", " ").nameless == expected


def test_a_name_may_hold_what_patterns_hold() -> None:
    assert query("what (bot) said", "(bot)", "C++").nameless.split() == ["what", "said"]
