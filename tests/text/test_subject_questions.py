"""Questions about a whole part of the user's life."""

from memory_core.text.subject_questions import (
    OwnSubject,
    own_subject_asked_for,
    states_a_dislike,
    states_own_name,
)
from tests.cases import for_each

QUESTIONS = [
    ("what's my name?", OwnSubject.NAME),
    ("Rosie, do you know my name?", OwnSubject.NAME),
    ("你知道我的名字吗", OwnSubject.NAME),
    ("weißt du noch wie ich heiße", OwnSubject.NAME),
    ("как меня зовут?", OwnSubject.NAME),
    ("tell me about my family", OwnSubject.PEOPLE),
    ("Summarize what you know about my family", OwnSubject.PEOPLE),
    ("do I have any pets?", OwnSubject.PETS),
    ("我有宠物吗？", OwnSubject.PETS),
    ("¿tengo mascotas?", OwnSubject.PETS),
    ("what do I do for a living?", OwnSubject.WORK),
    ("do you remember what I do for work?", OwnSubject.WORK),
    ("我是做什么工作的？", OwnSubject.WORK),
    ("Was mache ich beruflich?", OwnSubject.WORK),
    ("what are my hobbies?", OwnSubject.HOBBIES),
    ("我有什么爱好？", OwnSubject.HOBBIES),
    ("quels sont mes loisirs ?", OwnSubject.HOBBIES),
    ("What do I like?", OwnSubject.TASTES),
    ("我喜欢什么？", OwnSubject.TASTES),
    ("what foods do I hate?", OwnSubject.DISLIKES),
    ("what don't I like?", OwnSubject.DISLIKES),
    ("我讨厌什么？", OwnSubject.DISLIKES),
    ("where did I go on vacation?", OwnSubject.TRAVEL),
    ("what are my plans?", OwnSubject.PLANS),
    ("私の趣味は何？", OwnSubject.HOBBIES),
]
OTHERS = [
    "what's the name of my dog?",
    "what should my name be in the story",
    "do I have pets that may travel?",
    "do you have any pets?",
    "what do I do now?",
    "what do I like about Tom?",
    "what are your hobbies?",
    "what would I like",
    "我该做什么",
    "你叫什么名字",
    "was mache ich jetzt",
    "my family is here",
    "my name",
    "我朋友",
    "我的工作",
    "我的宠物",
]


@for_each(("message", "subject"), QUESTIONS)
def test_question_asks_for_a_part_of_the_users_life(message: str, subject: OwnSubject) -> None:
    assert own_subject_asked_for(message, ("Walter", "Rosie")) is subject


@for_each("message", OTHERS)
def test_question_about_something_else_asks_for_no_part_of_the_users_life(message: str) -> None:
    assert own_subject_asked_for(message, ("Walter", "Rosie")) is None


@for_each("text", ["My name is Sam", "我叫小陈", "me llamo Ana", "меня зовут Олег"])
def test_statement_of_ones_own_name_is_recognised(text: str) -> None:
    assert states_own_name(text)
    assert not states_own_name("My sister is here")


@for_each("text", ["I hate mushrooms", "我讨厌香菜", "odio los lunes"])
def test_statement_of_a_dislike_is_recognised(text: str) -> None:
    assert states_a_dislike(text)
    assert not states_a_dislike("I love mushrooms")
