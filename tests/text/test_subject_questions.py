"""Questions about a whole part of the user's life."""

from memory_core.text.subject_questions import OwnSubject, own_subject_asked_for
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
    ("where do I live now?", OwnSubject.HOME),
    ("do you remember where I live", OwnSubject.HOME),
    ("Which city do I live in?", OwnSubject.HOME),
    ("where did I move to", OwnSubject.HOME),
    ("what's my address", OwnSubject.HOME),
    ("我现在住在哪里？", OwnSubject.HOME),
    ("我家在哪儿", OwnSubject.HOME),
    ("Wo wohne ich jetzt?", OwnSubject.HOME),
    ("Weißt du noch, wo ich wohne?", OwnSubject.HOME),
    ("¿dónde vivo ahora?", OwnSubject.HOME),
    ("Où est-ce que j'habite ?", OwnSubject.HOME),
    ("где я сейчас живу?", OwnSubject.HOME),
    ("私は今どこに住んでいる？", OwnSubject.HOME),
    ("where am I from?", OwnSubject.ORIGIN),
    ("do you know where I was born", OwnSubject.ORIGIN),
    ("我的老家在哪里？", OwnSubject.ORIGIN),
    ("Woher komme ich?", OwnSubject.ORIGIN),
    ("¿de dónde soy?", OwnSubject.ORIGIN),
    ("d'où je viens ?", OwnSubject.ORIGIN),
    ("откуда я родом?", OwnSubject.ORIGIN),
    ("how old am I?", OwnSubject.AGE),
    ("when's my birthday", OwnSubject.BIRTHDAY),
    ("我今年多大了？", OwnSubject.AGE),
    ("Wann habe ich Geburtstag?", OwnSubject.BIRTHDAY),
    ("¿cuántos años tengo?", OwnSubject.AGE),
    ("quel âge ai-je ?", OwnSubject.AGE),
    ("сколько мне лет?", OwnSubject.AGE),
    ("what do I do for a living?", OwnSubject.WORK),
    ("do you remember what I do for work?", OwnSubject.WORK),
    ("我是做什么工作的？", OwnSubject.WORK),
    ("Was mache ich beruflich?", OwnSubject.WORK),
    ("what are my hobbies?", OwnSubject.HOBBIES),
    ("我有什么爱好？", OwnSubject.HOBBIES),
    ("quels sont mes loisirs ?", OwnSubject.HOBBIES),
    ("Parle-moi de ma famille", OwnSubject.PEOPLE),
    ("Qu'est-ce que j'aime ?", OwnSubject.TASTES),
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
    "where does my sister live?",
    "how old is my sister?",
    "when is Tom's birthday",
    "where am I",
    "我在哪里",
    "where should I live?",
    "where do we go now",
    "how do I live with this",
    "where do I live in the story of Tom?",
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
