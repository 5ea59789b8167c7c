"""Tests of the cue: requests for memories and small talk in every language."""

from memory_core.recall import cue as cue_module
from memory_core.recall.cue import (
    QUESTIONS,
    cue,
    idle,
    languages,
    log_odds,
    relative_length,
    usual_language,
)
from tests.cases import for_each

ASKING_AND_IDLE = {
    "en": ("what was my doctor's name again?", "haha ok good night"),
    "zh": ("我上次说的那个医生叫什么来着", "哈哈好的晚安"),
    "de": ("wie hieß nochmal meine ärztin", "haha ok gute nacht"),
    "es": ("¿cómo se llamaba mi doctora?", "jaja vale buenas noches"),
    "fr": ("comment s'appelle ma médecin déjà ?", "mdr ok bonne nuit"),
    "ja": ("私の先生の名前なんだったっけ", "笑 おやすみ"),
    "ru": ("как звали моего врача", "ахах ладно спокойной ночи"),
}


@for_each("language", sorted(ASKING_AND_IDLE))
def test_cue_of_a_question_about_the_past_is_above_that_of_small_talk(language: str) -> None:
    asking, idle = ASKING_AND_IDLE[language]
    assert cue(asking) > 0.0 > cue(idle)


@for_each("language", sorted(ASKING_AND_IDLE))
def test_idle_of_small_talk_is_above_that_of_a_question_about_the_past(language: str) -> None:
    asking, small_talk = ASKING_AND_IDLE[language]
    assert idle(small_talk) > 0.0 > idle(asking)


def test_every_language_has_cue_weights_for_every_question() -> None:
    assert all(set(weights) == set(QUESTIONS) for weights in languages().values())


def test_cue_is_zero_in_a_language_that_was_not_learned() -> None:
    greek = "Πώς λέγεται ο γιατρός μου;"
    assert (cue(greek), idle(greek)) == (0.0, 0.0)


def test_cue_of_an_empty_message_is_zero() -> None:
    assert (cue(""), idle("")) == (0.0, 0.0)


def test_relative_length_is_about_zero_for_a_usual_message_of_every_language() -> None:
    usual = [relative_length(asking) for asking, _ in ASKING_AND_IDLE.values()]
    assert all(abs(length) < 1.0 for length in usual)


def test_every_language_with_topics_has_cues() -> None:
    assert set(ASKING_AND_IDLE) == set(languages())


def test_slang_is_read_in_the_language_of_the_texts_beside_it() -> None:
    slang = "jsuis dans le tram ya trop de monde"
    usual = usual_language(["Je suis allé chez le médecin avec ma mère."])
    assert cue(slang, usual) == log_odds(slang, "fr", "wants")


def test_message_in_clearly_another_language_is_not_read_in_that_of_the_texts_beside_it() -> None:
    question = "what did I say about my sister and the house"
    usual = usual_language(["Je suis allé chez le médecin avec ma mère."])
    assert cue(question, usual) == log_odds(question, "en", "wants")


def test_cue_reads_the_weights_of_the_message_s_own_language_alone() -> None:
    cue_module._weights.cache_clear()
    cue("wie heißt meine Katze noch einmal?")
    assert cue_module._weights.cache_info().currsize == 1
    assert cue_module._weights("de") is not None
    assert cue_module._weights.cache_info().currsize == 1
