"""Quotes of a user about themselves, by subject."""

import numpy as np
import pytest

from memory_core.domain.records import MemoryKind
from memory_core.memory.browse import about_user
from memory_core.memory.long_term_memory import LongTermMemory
from memory_core.memory.meaning_map import meaning_map, project
from memory_core.providers.embedders.fake import FakeEmbedder
from memory_core.recall.about_user import Subject
from memory_core.text.first_person import own_statements
from tests.builders import NOW, SPACE, derive_all, said
from tests.cases import for_each
from tests.conftest import OpenMemory


def quotes(memory: LongTermMemory, subject: Subject) -> list[tuple[str, int]]:
    said_about = about_user(memory, SPACE).said.get(subject, [])
    return [(quote.text, quote.times) for quote in said_about]


def test_statements_stand_under_the_subject_of_their_topics(memory: LongTermMemory) -> None:
    memory.remember(SPACE, "monday", said("Hi! I am allergic to walnuts. How are you?"))
    memory.remember(SPACE, "monday", said("My sister Clara lives here."))
    memory.remember(SPACE, "monday", said("Is my brother here?", "My brother is a dentist."))
    assert quotes(memory, Subject.PEOPLE) == [("My sister Clara lives here.", 1)]
    found = [text for part in about_user(memory, SPACE).said.values() for text in part]
    assert {quote.text for quote in found} == {
        "I am allergic to walnuts.",
        "My sister Clara lives here.",
    }


def test_asking_to_remember_something_is_no_subject(memory: LongTermMemory) -> None:
    memory.remember(SPACE, "monday", said("Please remember that I am allergic to walnuts."))
    assert not quotes(memory, Subject.PEOPLE)
    assert [text for text, _ in quotes(memory, Subject.HEALTH)] == [
        "Please remember that I am allergic to walnuts."
    ]


def test_statement_made_several_times_comes_first(memory: LongTermMemory) -> None:
    for n in range(3):
        memory.remember(SPACE, f"day {n}", said("My sister Clara plays the cello."))
    memory.remember(SPACE, "day 4", said("My brother came home late."))
    assert quotes(memory, Subject.PEOPLE)[0] == ("My sister Clara plays the cello.", 3)


def test_wrong_number_is_quoted_with_its_correction(memory: LongTermMemory) -> None:
    memory.remember(SPACE, "monday", said("我妈妈生日是3月14日", ts=NOW))
    memory.remember(SPACE, "monday", said("说错了，3月15日", ts=NOW))
    assert [text for text, _ in quotes(memory, Subject.PEOPLE)] == [
        "我妈妈生日是3月14日 … 说错了，3月15日"
    ]


@pytest.mark.parametrize(
    ("wrong", "right"),
    [
        ("我妹叫小雅", "是小燕不是小雅"),
        ("my sister is called Anna", "sorry, Hanna not Anna"),
        ("my sister is called anna", "*Hanna"),
    ],
)
def test_wrong_word_is_quoted_with_its_correction(
    memory: LongTermMemory, wrong: str, right: str
) -> None:
    for text in (wrong, right, "ok bye"):
        memory.remember(SPACE, "monday", said(text, ts=NOW))
    assert [text for text, _ in quotes(memory, Subject.PEOPLE)] == [f"{wrong} … {right}"]


def test_pinned_memories_and_notes_are_listed(memory: LongTermMemory) -> None:
    assert about_user(memory, SPACE).is_empty
    pinned = memory.remember(SPACE, "monday", said("Zzz"))
    memory.pin(SPACE, pinned)
    memory.add_note(SPACE, "Ana likes tea", kind=MemoryKind.KNOWLEDGE, pinned=False)
    about = about_user(memory, SPACE)
    assert [one.id for one in about.pinned] == [pinned]
    assert [one.text for one in about.notes] == ["Ana likes tea"]


def test_forgotten_statement_is_not_quoted(memory: LongTermMemory) -> None:
    gone = memory.remember(SPACE, "monday", said("My sister Clara lives here."))
    memory.forget(SPACE, [gone])
    assert about_user(memory, SPACE).is_empty


@for_each(
    ("text", "found"),
    [
        ("I like tea. You like coffee.", ["I like tea."]),
        ("Do I like tea? I'm not sure about it.", ["I'm not sure about it."]),
        ("Ich wohne in Graz. Das Wetter ist schön.", ["Ich wohne in Graz."]),
        ("我对芒果过敏。天气很好。", ["我对芒果过敏。"]),
        ("In Italy is fine.", []),
        ("", []),
    ],
)
def test_own_statements_are_sentences_in_the_first_person(text: str, found: list[str]) -> None:
    assert list(own_statements(text)) == found


def test_the_map_holds_embedded_exchanges_only(opened: OpenMemory) -> None:
    memory = opened(embedder=FakeEmbedder(dim=32))
    assert meaning_map(memory, SPACE) == []
    ids = [memory.remember(SPACE, "monday", said(f"text {n}", f"answer {n}")) for n in range(5)]
    derive_all(memory)
    points = meaning_map(memory, SPACE)
    assert {point.memory.id for point in points} == set(ids)
    assert all(0.0 <= place <= 1.0 for point in points for place in (point.x, point.y))


def test_projection_keeps_near_vectors_near() -> None:
    draw = np.random.default_rng(0)
    left = draw.normal(0.0, 0.01, (20, 8))
    right = left + np.eye(8)[0]
    places = project(np.vstack([left, right]))
    assert abs(places[:20, 0].mean() - places[20:, 0].mean()) > 0.8
    assert places.min() == 0.0
    assert places.max() == 1.0


def test_projection_of_one_vector_is_a_point() -> None:
    assert project(np.ones((1, 4))).tolist() == [[0.0, 0.0]]


@pytest.mark.parametrize(
    "text",
    [
        "I'd call him Sprocket.",
        "I found him behind the bakery in Ghent.",
        "We're back!",
        "But once I found my old guitar.",
        "不过我妈妈不喜欢。",
        "My book is about lighthouses.",
        "We had rain every single night.",
        "I could not live without it.",
        "我在面包店后面捡到它的。",
        "它爬进了我的洗衣篮。",
        "Last night I dreamt that I lived in a house by the sea.",
        "我昨晚梦见自己住在海边的房子里。",
    ],
)
def test_statement_that_says_nothing_true_alone_is_not_shown(
    memory: LongTermMemory, text: str
) -> None:
    memory.remember(SPACE, "monday", said(text))
    assert not about_user(memory, SPACE).said


@pytest.mark.parametrize(
    ("text", "subject"),
    [
        ("My back hurts since the fall.", Subject.HEALTH),
        ("I live in Ghent, in a narrow house.", Subject.HOME),
        ("My sister Olga says she likes the sea.", Subject.PEOPLE),
        ("我妈妈说她想学画画。", Subject.PEOPLE),
        ("我对虾过敏。", Subject.HEALTH),
    ],
)
def test_statement_that_can_be_read_alone_is_shown(
    memory: LongTermMemory, text: str, subject: Subject
) -> None:
    memory.remember(SPACE, "monday", said(text))
    assert [found for found, _ in quotes(memory, subject)] == [text]


def test_name_of_an_animal_is_no_food(memory: LongTermMemory) -> None:
    memory.remember(SPACE, "monday", said("I have a hamster called Cookie, he loves me."))
    memory.remember(SPACE, "monday", said("Cookie slept on my hand."))
    assert not quotes(memory, Subject.FOOD)


@pytest.mark.parametrize(
    ("text", "subject"),
    [
        ("My new boss is named Anton.", Subject.WORK),
        ("I had a quiet wedding, and Rosa came with her cat.", Subject.PEOPLE),
        ("My sister sings and plays the piano.", Subject.PEOPLE),
        ("我养了一只仓鼠，叫团团，今年两岁了。", Subject.PETS),
        ("我们订的酒店很小，老板每天给客人煮面条。", Subject.TRAVEL),
        ("我每个星期去游泳。", Subject.HOBBIES),
        ("I love hiking.", Subject.HOBBIES),
        ("We really love our dog.", Subject.PETS),
        ("I have a new girlfriend.", Subject.PEOPLE),
        ("我对虾过敏，所以不吃海鲜面条。", Subject.HEALTH),
        ("soy carmen, vivo en sevilla con mis tres hijos", Subject.HOME),
        ("I am allergic to soy", Subject.HEALTH),
    ],
)
def test_statement_stands_under_what_the_speaker_tells_most_of(
    memory: LongTermMemory, text: str, subject: Subject
) -> None:
    memory.remember(SPACE, "monday", said(text))
    assert list(about_user(memory, SPACE).said) == [subject]


@pytest.mark.parametrize(
    "text",
    [
        "hola, soy elena",
        "wir ziehen nach Erfurt",
        "zoe and i broke up :(",
        "ich hab Zeit",
        "como se llaman mis niñas",
        "a ver, resume lo que sabes de mi familia",
        "sorry i am tired, can we talk english",
        "我补考过了没",
        "forget that my brother drinks",
    ],
)
def test_words_of_no_topic_and_questions_are_no_statement(
    memory: LongTermMemory, text: str
) -> None:
    memory.remember(SPACE, "monday", said(text))
    assert not about_user(memory, SPACE).said


def test_request_for_a_note_is_shown_as_the_note_only(memory: LongTermMemory) -> None:
    memory.remember(SPACE, "monday", said("Please remember that I am allergic to walnuts.", ts=NOW))
    memory.add_note(
        SPACE, "I am allergic to walnuts.", kind=MemoryKind.KNOWLEDGE, pinned=False, conversation=""
    )
    found = about_user(memory, SPACE)
    assert [note.text for note in found.notes] == ["I am allergic to walnuts."]
    assert not found.said


@pytest.mark.parametrize(
    "text",
    [
        "Anton lent me a tennis racket for the old choir.",
        "Rosa gave me a green pen.",
        "同事让我画一只茶壶。",
    ],
)
def test_act_of_somebody_else_is_no_statement_about_the_speaker(
    memory: LongTermMemory, text: str
) -> None:
    memory.remember(SPACE, "monday", said(text))
    assert not about_user(memory, SPACE).said


def test_name_of_a_firm_is_no_subject(memory: LongTermMemory) -> None:
    memory.remember(SPACE, "monday", said("I'm starting at a small place called Guitar Tent."))
    assert not about_user(memory, SPACE).said


@pytest.mark.parametrize(
    "text",
    [
        "Write me a poem about my cat.",
        "I love your new coat and hat.",
        "Sie hat mir erzählt, dass ihre Mutter krank ist.",
        "Elle m'a dit que sa mère est malade.",
        "«Ненавижу мою работу», — сказал Олег.",
    ],
)
def test_sentence_about_somebody_or_something_else_is_not_shown(
    memory: LongTermMemory, text: str
) -> None:
    memory.remember(SPACE, "monday", said(text))
    assert not about_user(memory, SPACE).said


@pytest.mark.parametrize(
    ("text", "subject"),
    [
        ("I grew up on a farm in Kent.", Subject.HOME),
        ("Ich bin in einem Dorf aufgewachsen.", Subject.HOME),
        ("我是在农村长大的。", Subject.HOME),
        ("Als Kind hatte ich eine Katze.", Subject.PETS),
    ],
)
def test_childhood_is_filed_under_its_place_or_thing(
    memory: LongTermMemory, text: str, subject: Subject
) -> None:
    memory.remember(SPACE, "monday", said(text))
    assert list(about_user(memory, SPACE).said) == [subject]


def test_russian_pronoun_is_not_read_as_a_menu(memory: LongTermMemory) -> None:
    memory.remember(SPACE, "monday", said("У меня новая работа."))
    assert list(about_user(memory, SPACE).said) == [Subject.WORK]
