"""Questions about a whole part of the user's life."""

from memory_core.text.subject_questions import (
    OwnSubject,
    own_subject_asked_for,
    states,
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


@for_each("text", ["My name is Sam", "我叫小陈", "me llamo Ana", "меня зовут Олег"])
def test_statement_of_ones_own_name_is_recognised(text: str) -> None:
    assert states(OwnSubject.NAME, text)
    assert not states(OwnSubject.NAME, "My sister is here")


@for_each("text", ["I hate mushrooms", "我讨厌香菜", "odio los lunes"])
def test_statement_of_a_dislike_is_recognised(text: str) -> None:
    assert states(OwnSubject.DISLIKES, text)
    assert not states(OwnSubject.DISLIKES, "I love mushrooms")


@for_each(
    "text",
    [
        "I live in Lisbon",
        "Hi, I'm Alex, I live near the harbour.",
        "I moved to Porto last month",
        "We've just moved into the new house",
        "Finally moved to Leeds!",
        "I found a flat near the park",
        "ich wohne jetzt in Köln",
        "wir sind nach Bonn gezogen",
        "vivo en Sevilla",
        "me he mudado a Vigo",
        "j'habite à Lyon depuis mai",
        "я живу в Москве",
        "мы переехали в Казань",
        "我住在上海",
        "我上个月搬到了滨江",
        "東京に住んでいます",
    ],
)
def test_statement_of_where_the_speaker_lives_is_recognised(text: str) -> None:
    assert states(OwnSubject.HOME, text)


@for_each(
    "text",
    [
        "I couldn't live without coffee",
        "I want to live in Paris one day",
        "I used to live in Bath",
        "My sister lives in Bath",
        "I moved the sofa to the wall",
        "I live for the weekend",
        "Long live the queen",
        "我妈住院了",
        "我妈搬到北京了",
    ],
)
def test_other_statement_with_such_words_names_no_home(text: str) -> None:
    assert not states(OwnSubject.HOME, text)


@for_each(
    ("subject", "text"),
    [
        (OwnSubject.ORIGIN, "I'm from Ohio"),
        (OwnSubject.ORIGIN, "I was born and raised in Cork."),
        (OwnSubject.ORIGIN, "ich komme eigentlich aus Graz"),
        (OwnSubject.ORIGIN, "soy de Vigo"),
        (OwnSubject.ORIGIN, "我是四川人"),
        (OwnSubject.AGE, "I'm 34"),
        (OwnSubject.AGE, "I just turned 40 today!"),
        (OwnSubject.BIRTHDAY, "My birthday is on the 9th of May"),
        (OwnSubject.BIRTHDAY, "I had a quiet birthday, the ninth as always"),
        (OwnSubject.BIRTHDAY, "ich hab am 3. Mai Geburtstag"),
        (OwnSubject.BIRTHDAY, "我的生日是五月九号"),
        (OwnSubject.AGE, "bin 52 Jahre alt"),
        (OwnSubject.AGE, "tengo 28 años"),
        (OwnSubject.AGE, "j'ai 19 ans"),
        (OwnSubject.AGE, "мне 31 год"),
        (OwnSubject.AGE, "我今年28岁"),
    ],
)
def test_origin_age_and_birthday_are_recognised(subject: OwnSubject, text: str) -> None:
    assert states(subject, text)


@for_each(
    ("subject", "text"),
    [
        (OwnSubject.ORIGIN, "I'm home from work"),
        (OwnSubject.ORIGIN, "I'm back from Spain"),
        (OwnSubject.ORIGIN, "my neighbour is from Ohio"),
        (OwnSubject.AGE, "my son is 12"),
        (OwnSubject.AGE, "義母が2月14日で80歳になります。"),
        (OwnSubject.BIRTHDAY, "mum's birthday is on the 3rd of march"),
        (OwnSubject.BIRTHDAY, "it's my nanas birthday"),
        (OwnSubject.BIRTHDAY, "我妈生日快到了"),
        (OwnSubject.BIRTHDAY, "先輩が誕生日おめでとうって言ってくれた"),
        (OwnSubject.HOME, "我婆婆现在住那间护理之家"),
        (OwnSubject.AGE, "I'm 20 minutes late"),
        (OwnSubject.AGE, "the car is 34 years old"),
    ],
)
def test_statement_about_something_else_tells_no_origin_age_or_birthday(
    subject: OwnSubject, text: str
) -> None:
    assert not states(subject, text)


@for_each(
    "text",
    [
        "I'm Sam, hi!",
        "Hello, I am Alex and I live here",
        "im Kim",
        "I'm Julian",
        "I'm Trish",
        "soy Lucía",
    ],
)
def test_introduction_states_the_name(text: str) -> None:
    assert states(OwnSubject.NAME, text)


@for_each(
    "text",
    ["I'm tired", "I'm German", "I'm Spanish, not Catholic", "I am not Sam", "老伴叫我吃饭了"],
)
def test_other_statement_of_oneself_states_no_name(text: str) -> None:
    assert not states(OwnSubject.NAME, text)
