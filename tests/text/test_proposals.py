"""Words that ask for a proposal, and the fields in which a message wants something."""

import time

from memory_core.text.proposals import asks_for_a_proposal, fields_named, fields_wanted
from tests.cases import for_each
from tests.in_time import within

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
    "чё посмотреть вечером",
    "помоги выбрать подарок",
    "夕飯どうしよう",
    "プレゼント何がいいかな",
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
    "он помог мне выбрать подарок",
    "昼にカレー食べた",
]


@for_each("text", ASKING)
def test_request_for_a_proposal_is_recognised(text: str) -> None:
    assert asks_for_a_proposal(text)


@for_each("text", TELLING)
def test_account_of_what_happened_asks_for_no_proposal(text: str) -> None:
    assert not asks_for_a_proposal(text)


WANTED = [
    ("I'm so hungry", "food"),
    ("dinner ideas?", "food"),
    ("let's cook something together", "food"),
    ("what can't I eat again?", "food"),
    ("which nuts make me ill", "food"),
    ("what was it that makes me swell", "food"),
    ("ich hab Hunger", "food"),
    ("wovon wird mir schlecht", "food"),
    ("¿qué me sienta mal?", "food"),
    ("qu’est-ce qui me rend malade", "food"),
    ("на что у меня аллергия", "food"),
    ("жрать хочу", "food"),
    ("есть охота", "food"),
    ("我对什么过敏", "food"),
    ("何のアレルギーだっけ", "food"),
    ("what is Noor not allowed to eat", "food"),
    ("was darf Emil nicht essen", "food"),
    ("qué alergias tiene mi hija", "food"),
    ("qu'est-ce que Hugo peut pas manger déjà", "food"),
    ("что бабушке нельзя", "food"),
    ("奶奶不能吃什么", "food"),
    ("おかん、食べられないもんあったっけ", "food"),
    ("was essen wir heute", "food"),
    ("was könnt ich heute noch naschen", "food"),
    ("Rezept bitte", "food"),
    ("tengo hambre", "food"),
    ("¿qué cenamos?", "food"),
    ("on mange quoi", "food"),
    ("я голодная", "food"),
    ("我饿了", "food"),
    ("凉皮咋点", "food"),
    ("火锅走起？", "food"),
    ("今晚整点酒", "drink"),
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
    ("i'm going for a run", "exercise"),
    ("should I go to the gym tonight", "exercise"),
    ("will laufen gehen", "exercise"),
    ("voy a salir a correr", "exercise"),
    ("je vais courir", "exercise"),
    ("хочу побегать", "exercise"),
    ("想去跑个步", "exercise"),
    ("走りたいな", "exercise"),
    ("I'm thinking of getting a cat", "pet"),
    ("wir wollen uns eine Katze anschaffen", "pet"),
    ("我想养只猫", "pet"),
]
NOTHING_WANTED = [
    "I'm not hungry",
    "we ate at my aunt's",
    "dinner was lovely",
    "what makes me sick is how he talks",
    "my cat is asleep",
    "the film was too long",
    "how are you?",
    "gonna run some errands",
    "was darf ich nicht vergessen",
    "I have to avoid my boss today",
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


@for_each("text", ["\n" * 600, "." * 1_900, " \n" * 900, "so, " * 400])
def test_long_text_is_searched_in_no_time(text: str) -> None:
    with within(1, time.process_time):
        assert not asks_for_a_proposal(f"{text}tea")
    assert asks_for_a_proposal(f"{text}suggest a film")
