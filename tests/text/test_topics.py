"""The everyday topics of a text, as further search terms."""

import json
import time

import pytest

from benchmarks.make_topics import WORDS, compiled
from memory_core.text.search_terms import terms
from memory_core.text.topics import FOLDER, MARK, topics
from tests.cases import for_each
from tests.in_time import within

TOLD_AND_ASKED = [
    ("The surgeon will mend my knee in May", "when is my operation"),
    ("Ich lass mir im Mai das Knie operieren", "wann muss ich ins Krankenhaus"),
    ("Tengo la operación de rodilla en mayo", "¿qué día voy al hospital?"),
    ("on m'opère du genou en mai", "je rentre quand à l'hôpital ?"),
    ("У меня в мае операция на колене", "когда мне ложиться в больницу"),
    ("我五月要做膝盖手术", "我什么时候住院"),
    ("五月に膝の手術があります", "入院はいつだっけ"),
]


@for_each(("memory", "asked"), TOLD_AND_ASKED)
def test_related_texts_without_common_words_share_a_topic(memory: str, asked: str) -> None:
    assert set(topics(memory)) & set(topics(asked))


def test_topic_counts_at_most_twice_in_one_text() -> None:
    found = topics("cat kitten purr meow tabby")
    assert found.count("#pet_cat") == 2


def test_topics_of_a_german_compound_are_those_of_its_parts() -> None:
    assert {"#wedding", "#dress_suit"} <= set(topics("der Hochzeitsanzug passt noch"))


def test_topics_are_distinguished_from_words() -> None:
    assert all(topic.startswith(MARK) for topic in topics("the dentist"))
    assert not any(term.startswith(MARK) for term in terms("the #dentist is here"))


@for_each("text", ["", "12345", "🙂🙂", "Καλημέρα", "\ud800"])
def test_text_without_known_words_has_no_topics(text: str) -> None:
    assert topics(text) == []


def test_topics_of_a_long_text_are_found_fast() -> None:
    with within(15, time.process_time):
        topics("my cat and the dentist 医院手术 " * 2_000)


@pytest.mark.parametrize("language", ["en", "zh"])
def test_topic_files_agree_with_the_word_lists(language: str) -> None:
    words = json.loads((WORDS / f"{language}.json").read_text(encoding="utf-8"))
    made = json.loads((FOLDER / f"{language}.json").read_text(encoding="utf-8"))
    assert made == compiled(words, language)
