"""Pleasantries are recognised, and short facts are not taken for them.

The greeting at the beginning of a message is no part of what it asks.
"""

from memory_core.text.greetings import is_pleasantry, without_greeting
from tests.cases import for_each


@for_each(
    "sentence",
    [
        "Good night, my friend!",
        "ok thanks",
        "hahaha",
        "See you tomorrow, sleep well",
        "gute Nacht mein Schatz",
        "wie geht's dir?",
        "n'abend, na?",
        "hahaha stimmt",
        "mega happy",
        "ach so, alles klar",
        "mir is langweilig",
        "ich geh jetzt pennen, gn8",
        "buenas noches",
        "salut, ça va ?",
        "спокойной ночи!",
        "晚上好呀～",
        "我又来了",
        "morning",
        "hiii",
        "sup",
        "evening my dear",
        "おやすみなさい",
        "приветик",
        "спс большое",
        "ахахах ору",
        "ясно, ну норм",
        "доброе утречко",
        "おはよー",
        "了解",
        "ありがとね",
        "お疲れさまでした",
        "よろしくね",
        "へー、そうなんだ",
    ],
)
def test_greeting_thanks_and_laughter_are_pleasantries(sentence: str) -> None:
    assert is_pleasantry(sentence)


@for_each(
    "sentence",
    [
        "I'm vegan",
        "my cat died",
        "soy celíaca",
        "我不吃肉",
        "下个月一号入职",
        "ich bin Ärztin",
        "bin schwanger",
        "я беременна",
        "не ем мясо",
        "妊娠した",
        "了解したけど引っ越す",
        "ich geh jetzt schwimmen",
        "",
        "42",
    ],
)
def test_short_facts_are_no_pleasantries(sentence: str) -> None:
    assert not is_pleasantry(sentence)


@for_each("part", ["ha", "my ", "哈", "ありがとう", " ", "　", "see you "])
def test_long_repetitions_are_judged_at_once(part: str) -> None:
    is_pleasantry(part * 50_000)
    assert not is_pleasantry((part * 200)[:199] + "#x"[:1] + "q")


NAMES = ("Ana", "Mira", "小雨")


@for_each(
    ("text", "rest"),
    [
        ("Hi Mira, what's my dog's name?", "what's my dog's name?"),
        ("hey there! My dog is ill.", "My dog is ill."),
        ("hi what tea do I like", "what tea do I like"),
        ("Good morning, my dear Mira. Bees!", "Bees!"),
        ("Hallo Mira, wo wohnt meine Tante?", "wo wohnt meine Tante?"),
        ("Buenos días, ¿dónde vive mi tía?", "¿dónde vive mi tía?"),
        ("Bonjour Mira ! Où est mon chien ?", "Où est mon chien ?"),
        ("Привет, Mira! Где моя собака?", "Где моя собака?"),
        ("你好小雨,我的猫叫什么名字?", "我的猫叫什么名字?"),
        ("早上好！我养了一只猫。", "我养了一只猫。"),
        ("こんにちは、犬の名前は？", "犬の名前は？"),
    ],
)
def test_greeting_and_the_name_greeted_are_removed(text: str, rest: str) -> None:
    assert without_greeting(text, NAMES) == rest


@for_each(
    "text",
    [
        "Hi Mira!",
        "你好",
        "你好吗",
        "你好像很累",
        "History is fun.",
        "Highway 5 is closed.",
        "Hi-fi is loud.",
    ],
)
def test_text_without_a_greeting_before_something_else_is_unchanged(text: str) -> None:
    assert without_greeting(text, NAMES) == text
