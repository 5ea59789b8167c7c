"""Fields in which a message wants something."""

from memory_core.text.proposal_fields import fields_named, fields_wanted
from tests.cases import for_each

WANTED = [
    ("I'm so hungry", "food"),
    ("dinner ideas?", "food"),
    ("let's cook something together", "food"),
    ("what can't I eat again?", "food"),
    ("ich hab Hunger", "food"),
    ("was essen wir heute", "food"),
    ("Rezept bitte", "food"),
    ("tengo hambre", "food"),
    ("¿qué cenamos?", "food"),
    ("on mange quoi", "food"),
    ("я голодная", "food"),
    ("我饿了", "food"),
    ("お腹すいた", "food"),
    ("I’m thirsty", "drink"),
    ("我口渴", "drink"),
    ("movie night! your choice", "film"),
    ("was gucken wir heute", "film"),
    ("что посмотрим сегодня", "film"),
    ("今夜何見る？", "film"),
    ("where should we go in May", "trip"),
    ("wohin im Mai", "trip"),
    ("comment aller à Rome", "trip"),
    ("五一去哪玩", "trip"),
    ("I'm thinking of getting a cat", "pet"),
    ("wir wollen uns eine Katze anschaffen", "pet"),
    ("我想养只猫", "pet"),
]
NOTHING_WANTED = [
    "I'm not hungry",
    "we ate at my aunt's",
    "dinner was lovely",
    "my cat is asleep",
    "the film was too long",
    "how are you?",
    "was darf ich nicht vergessen",
    "gestern habe ich Suppe gekocht",
    "ayer cené en casa",
    "вчера мы ужинали у бабушки",
    "昨天在外面吃了面",
    "昨日はうどんを食べた",
    "他去哪了",
]


@for_each(("text", "field"), WANTED)
def test_wish_is_recognised_without_a_request(text: str, field: str) -> None:
    assert field in fields_wanted(text)


@for_each("text", NOTHING_WANTED)
def test_other_message_wants_nothing(text: str) -> None:
    assert fields_wanted(text) == frozenset()


def test_fields_are_named_by_their_words_in_any_language() -> None:
    assert fields_named("bring mir was zu trinken") == {"drink"}
    assert fields_named("周末吃什么") == {"food", "trip"}
    assert fields_named("my bike has a flat tyre") == frozenset()
