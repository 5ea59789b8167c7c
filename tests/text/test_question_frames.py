"""Questions with light words, reporting verbs and others around them."""

import re

from memory_core.text.question_frames import (
    reports_a_question,
    stands_alone,
    without_adverbs_of_time,
)
from tests.cases import for_each

_QUESTION = re.compile("how old am i|我多大")


def is_alone(text: str) -> bool:
    found = _QUESTION.search(text)
    assert found
    return stands_alone(found)


@for_each(
    "text",
    [
        "how old am i",
        "do you know how old am i this year",
        "my boss asks how old am i",
        "她问我多大了",
    ],
)
def test_question_among_light_words_or_after_a_reporting_verb_stands_alone(text: str) -> None:
    assert is_alone(text)


@for_each(
    "text",
    ["how old am i in dog years", "i asked how old am i", "the story how old am i", "我多大的房子"],
)
def test_question_with_other_words_does_not_stand_alone(text: str) -> None:
    assert not is_alone(text)


def test_adverbs_of_time_are_left_out() -> None:
    assert without_adverbs_of_time("where do i live now again") == "where do i live"
    assert (
        without_adverbs_of_time("wann hab ich eigentlich geburtstag") == "wann hab ich geburtstag"
    )


@for_each(
    "sentence",
    [
        "my boss asks what I'm allergic to",
        "she wants to know if I eat hazelnuts",
        "die Ärztin fragt, wogegen ich allergisch bin",
        "me preguntan qué instrumento toco",
        "我老板问我对什么过敏",
    ],
)
def test_reported_question_is_recognised(sentence: str) -> None:
    assert reports_a_question(sentence)


@for_each(
    "sentence", ["I asked him where he lives", "she asked for tea", "he asks too much", "没问题"]
)
def test_statement_with_a_verb_of_asking_is_no_question(sentence: str) -> None:
    assert not reports_a_question(sentence)
