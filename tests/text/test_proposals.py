"""Words that ask for a proposal, and words that limit one."""

from memory_core.text.proposals import asks_for_a_proposal, fields_named, states_a_limit
from tests.cases import for_each

ASKING = [
    "could you suggest a starter for Sunday",
    "hey, fix me something quick",
    "what should we see in Lisbon",
    "koch mir bitte was Schnelles",
    "wohin sollen wir am Sonntag fahren",
    "recomiéndame una serie",
    "¿qué puedo preparar mañana?",
    "trouve-moi un restau sympa",
    "on mange quoi ce midi",
    "посоветуй сериал на вечер",
    "что бы нам приготовить",
    "给我推荐个馆子",
    "今晚吃什么",
    "今夜のメニューを考えて",
]
TELLING = [
    "I made soup for my neighbours",
    "we went to the cinema",
    "gestern habe ich Suppe gekocht",
    "ayer cené en casa",
    "j'ai mangé chez ma tante",
    "вчера мы ужинали у бабушки",
    "昨天在外面吃了面",
    "昨日はうどんを食べた",
]
LIMITS = [
    "my nephew is allergic to eggs",
    "I can't stand musicals",
    "ich vertrage keine Milch",
    "mi hija no come carne",
    "ma tante ne supporte pas le gluten",
    "я не ем рыбу",
    "爷爷有糖尿病",
    "姪は小麦アレルギーです",
]


@for_each("text", ASKING)
def test_request_for_a_proposal_is_recognised(text: str) -> None:
    assert asks_for_a_proposal(text)


@for_each("text", TELLING)
def test_account_of_what_happened_asks_for_no_proposal(text: str) -> None:
    assert not asks_for_a_proposal(text)
    assert not states_a_limit(text)


@for_each("text", LIMITS)
def test_lasting_limit_is_recognised(text: str) -> None:
    assert states_a_limit(text)


def test_fields_are_named_by_their_words_in_any_language() -> None:
    assert fields_named("bring mir was zu trinken") == {"drink"}
    assert fields_named("周末吃什么") == {"food", "trip"}
    assert fields_named("my bike has a flat tyre") == frozenset()
