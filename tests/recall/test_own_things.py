"""Statements about a thing that the user called theirs before."""

from memory_core.recall.own_things import tells_of_same_thing
from tests.cases import for_each


@for_each(
    ("message", "told"),
    [
        ("my back is better", "my back's been killing me since friday"),
        ("My CAR won't start", "my car is a 2014 Berlingo"),
        ("mein knie ist wieder dick", "ich war mit meinem knie beim arzt"),
        ("mi rodilla va mejor", "me duele mi rodilla"),
        ("ma voiture est en panne", "j'ai vendu ma voiture bleue"),
        ("meu joelho dói", "operei meu joelho em maio"),
        ("la mia schiena va meglio", "la mia schiena mi fa male"),
    ],
)
def test_thing_that_both_texts_call_the_users_own_is_found(message: str, told: str) -> None:
    assert tells_of_same_thing(message, told)


@for_each(
    ("message", "told"),
    [
        ("my back is better", "i want to go back to my village"),
        ("my day was long", "my day starts at six"),
        ("ma vie est belle", "c'est ma vie qui change"),
        ("mi dispiace tanto", "mi dispiace per ieri sera"),
        ("my back is better", ""),
        ("", "my back hurts"),
    ],
)
def test_small_talk_and_other_things_are_not_found(message: str, told: str) -> None:
    assert not tells_of_same_thing(message, told)
