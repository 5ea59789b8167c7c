"""Pleasantries are recognised, and short facts are not taken for them."""

from memory_core.text.pleasantries import is_pleasantry
from tests.cases import for_each


@for_each(
    "sentence",
    [
        "Good night, my friend!",
        "ok thanks",
        "hahaha",
        "See you tomorrow, sleep well",
        "gute Nacht mein Schatz",
        "wie geht's dir?",
        "buenas noches",
        "salut, ça va ?",
        "спокойной ночи!",
        "晚上好呀～",
        "おやすみなさい",
    ],
)
def test_greeting_thanks_and_laughter_are_pleasantries(sentence: str) -> None:
    assert is_pleasantry(sentence)


@for_each(
    "sentence",
    [
        "I'm vegan",
        "my cat died",
        "soy celíaca",
        "我不吃肉",
        "下个月一号入职",
        "ich bin Ärztin",
        "",
        "42",
    ],
)
def test_short_facts_are_no_pleasantries(sentence: str) -> None:
    assert not is_pleasantry(sentence)


@for_each("part", ["ha", "my ", "哈", "ありがとう", " ", "　", "see you "])
def test_long_repetitions_are_judged_at_once(part: str) -> None:
    is_pleasantry(part * 50_000)
    assert not is_pleasantry((part * 200)[:199] + "#x"[:1] + "q")
