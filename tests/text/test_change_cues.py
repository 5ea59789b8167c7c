"""Words of change in a memory, corrected numbers, and words of the present in a question."""

from memory_core.text.change_cues import (
    asks_about_now,
    asks_for_a_former_state,
    asks_how_things_were,
    takes_something_back,
    tells_of_a_change,
)
from tests.cases import for_each

CHANGES = [
    "we moved the rehearsal to Mondays",
    "i dont work at the bakery anymore",
    "der Zahnarzt hat den Termin verschoben",
    "ich nehm doch den Zug",
    "al final voy en tren",
    "ya no trabajo en el hotel",
    "finalement on part en train",
    "je ne travaille plus à l'hôtel",
    "je n’habite plus à Lyon",
    "репетицию перенесли на понедельник",
    "теперь езжу на поезде",
    "排练改到周一了",
    "練習は月曜に変わったよ",
    "failed, the resit is on the 4th",
    "la boîte m'a planté, j'ai un stage ailleurs",
    "завалил, пересдача в пятницу",
    "没过，补考是下周三",
    "落ちた、再試は土曜",
]
CORRECTIONS = [
    "wait no its 41 not 14, i just looked",
    "scrap that, 7pm",
    "i meant on tuesday",
    "its thursday, not friday",
    "sorry, typo: 62 kilos",
    "Moment, nein, Hausnummer 7",
    "ich meinte Dienstag",
    "no, espera, es el 12",
    "non attends, c'est mardi",
    "нет, стой, в пять",
    "不对 是403 不是304",
    "違う、火曜じゃなくて水曜",
    "нет, не 41 а 14",
    "ой не 3307 а 3370",
    "14 а не 41",
    "не в среду а в четверг",
    "вру, в четверг",
    "я имел ввиду четверг",
    "やっぱ木曜にした",
    "あ違う 14",
    "41じゃなかった14だ",
]
STATES = [
    "my sister lives in Leeds",
    "meine Schwester wohnt in Kiel",
    "mi hermana vive en Murcia",
    "ma soeur habite à Nantes",
    "сестра живёт в Казани",
    "我妹妹住在青岛",
    "妹は仙台に住んでいます",
    "не ем ничего а худею медленно",
    "у меня 41 размер",
    "おいしくなかった",
]
OF_NOW = [
    "where did we end up going",
    "wo sind wir letztlich hingefahren",
    "¿en dónde trabajo ahorita?",
    "結婚式はいつになったんだっけ",
    "where does she work these days",
    "wo arbeitet sie jetzt",
    "¿dónde trabaja ahora?",
    "où travaille-t-elle maintenant ?",
    "где она сейчас работает",
    "她现在在哪上班",
    "今はどこで働いてるんだっけ",
]


@for_each("text", CHANGES)
def test_text_about_a_change_is_recognised(text: str) -> None:
    assert tells_of_a_change(text)


@for_each("text", CORRECTIONS)
def test_correction_takes_something_back_and_is_a_change(text: str) -> None:
    assert takes_something_back(text)
    assert tells_of_a_change(text)


@for_each("text", [*STATES, "its fine, not great", "i mean the film was ok", "what is wrong?"])
def test_text_that_corrects_nothing_takes_nothing_back(text: str) -> None:
    assert not takes_something_back(text)


@for_each("text", STATES)
def test_text_about_a_state_is_not_about_a_change(text: str) -> None:
    assert not tells_of_a_change(text)


@for_each("text", OF_NOW)
def test_question_about_the_present_is_recognised(text: str) -> None:
    assert asks_about_now(text)


def test_question_without_a_word_of_the_present_is_not_about_now() -> None:
    assert not asks_about_now("who taught me to swim")


@for_each(
    "text",
    [
        "Where did I live before?",
        "What was my previous job?",
        "Where did I use to swim, or used to run?",
        "我以前住在哪里？",
        "Wo habe ich früher gewohnt?",
        "¿Dónde vivía antes?",
        "Où est-ce que j'habitais avant ?",
        "Где я раньше жила?",
        "前にどこに住んでいた?",
    ],
)
def test_question_about_the_past_is_recognised(text: str) -> None:
    assert asks_how_things_were(text)


@for_each(
    "text", ["Where do I live?", "How is the beforehand list?", "我住在哪里？", "Wo wohne ich?", ""]
)
def test_question_about_now_does_not_ask_about_the_past(text: str) -> None:
    assert not asks_how_things_were(text)


def test_past_tense_alone_does_not_ask_for_a_former_state() -> None:
    assert asks_how_things_were("what was the new code again")
    assert not asks_for_a_former_state("what was the new code again")
    assert asks_for_a_former_state("what was the code before")


def test_german_was_is_no_past_tense() -> None:
    assert not asks_how_things_were("was muss ich an der Tür sagen")
    assert asks_how_things_were("wie war der Kuchen von dir")
