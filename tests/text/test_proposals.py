"""Words that ask for a proposal."""

from memory_core.text.proposals import asks_for_a_proposal
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


@for_each("text", ASKING)
def test_request_for_a_proposal_is_recognised(text: str) -> None:
    assert asks_for_a_proposal(text)


@for_each("text", TELLING)
def test_account_of_what_happened_asks_for_no_proposal(text: str) -> None:
    assert not asks_for_a_proposal(text)
