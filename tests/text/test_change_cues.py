"""Words of change in a memory, and of the present in a question."""

import pytest

from memory_core.text.change_cues import asks_about_now, tells_of_a_change

CHANGES = [
    "we moved the rehearsal to Mondays",
    "i dont work at the bakery anymore",
    "der Zahnarzt hat den Termin verschoben",
    "ich nehm doch den Zug",
    "al final voy en tren",
    "ya no trabajo en el hotel",
    "finalement on part en train",
    "je ne travaille plus à l'hôtel",
    "репетицию перенесли на понедельник",
    "теперь езжу на поезде",
    "排练改到周一了",
    "練習は月曜に変わったよ",
]
STATES = [
    "my sister lives in Leeds",
    "meine Schwester wohnt in Kiel",
    "mi hermana vive en Murcia",
    "ma soeur habite à Nantes",
    "сестра живёт в Казани",
    "我妹妹住在青岛",
    "妹は仙台に住んでいます",
]
OF_NOW = [
    "where does she work these days",
    "wo arbeitet sie jetzt",
    "¿dónde trabaja ahora?",
    "où travaille-t-elle maintenant ?",
    "где она сейчас работает",
    "她现在在哪上班",
    "今はどこで働いてるんだっけ",
]


@pytest.mark.parametrize("text", CHANGES)
def test_text_about_a_change_is_recognised(text: str) -> None:
    assert tells_of_a_change(text)


@pytest.mark.parametrize("text", STATES)
def test_text_about_a_state_tells_of_no_change(text: str) -> None:
    assert not tells_of_a_change(text)


@pytest.mark.parametrize("text", OF_NOW)
def test_question_about_the_present_is_recognised(text: str) -> None:
    assert asks_about_now(text)


def test_question_without_a_word_of_the_present_is_not_about_now() -> None:
    assert not asks_about_now("who taught me to swim")
