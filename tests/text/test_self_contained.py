"""Sentences that cannot be understood without the ones before them."""

from memory_core.text.self_contained import is_self_contained
from memory_core.text.topics import without_idioms
from tests.cases import for_each


@for_each(
    "sentence",
    [
        "I found him behind the shed.",
        "It made my fingers hurt.",
        "She gave me a lamp.",
        "I could never do without it.",
        "I'd name her Pebble.",
        "They let me keep the bike.",
        "Yesterday I met them at the pool.",
        "我在车站后面找到它的。",
        "她送了我一盏灯。",
        "昨天我带他去了医院。",
        "我很想她。",
    ],
)
def test_sentence_with_an_unexplained_pronoun_does_not_stand_alone(sentence: str) -> None:
    assert not is_self_contained(sentence)


@for_each(
    "sentence",
    [
        "I play the oboe.",
        "My brother says he is moving to Ghent.",
        "I bought a tent and put it up in the garden.",
        "Last week Olga told me she is pregnant.",
        "Olga says she is pregnant, and I am glad.",
        "我妈妈说她下周来。",
        "我养了一只鹦鹉，给它起名叫豆豆。",
        "我在银行上班。",
        "Ich habe ihn gefunden.",
    ],
)
def test_sentence_that_names_whom_it_means_stands_alone(sentence: str) -> None:
    assert is_self_contained(sentence)


@for_each(
    ("text", "without"),
    [
        ("We are back!", "We  !"),
        ("My back hurts.", "My back hurts."),
        ("I cannot live without tea", "I cannot   tea"),
        ("I live in Ghent", "I live in Ghent"),
        ("我想去冰岛", "我想去 "),
    ],
)
def test_idioms_are_removed_and_their_words_elsewhere_stay(text: str, without: str) -> None:
    assert without_idioms(text) == without
