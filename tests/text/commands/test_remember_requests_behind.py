"""Statements with "remember that" after them become notes; talk with the same words does not."""

from memory_core.text.commands.parser import CommandKind, parse_command
from tests.cases import for_each

REQUESTS = [
    ("I'm allergic to peanuts, please remember that.", "I'm allergic to peanuts"),
    ("My sister's name is Ana. Don't forget that!", "My sister's name is Ana"),
    ("Ich bin Vegetarier, merk dir das bitte!", "Ich bin Vegetarier"),
    ("ich bin vegan merk dir das bitte", "ich bin vegan"),
    ("mein Hund heißt Bello, bitte merken", "mein Hund heißt Bello"),
    ("soy vegetariano, no lo olvides", "soy vegetariano"),
    ("Je suis végétarien, souviens-t'en !", "Je suis végétarien"),
    ("я вегетарианец, запомни это", "я вегетарианец"),
    ("у меня аллергия на арахис запомни", "у меня аллергия на арахис"),
    ("моего кота зовут марс, запомни плиз", "моего кота зовут марс"),
    ("пароль от вайфая кот2020, запомни", "пароль от вайфая кот2020"),
    ("卵アレルギーだから覚えといて", "卵アレルギーだ"),
    ("私は卵アレルギーです。覚えておいてください。", "私は卵アレルギーです"),
    ("誕生日は3月4日、覚えといてね", "誕生日は3月4日"),
    ("我对花生过敏，你要记住哦", "我对花生过敏"),
    ("我的生日是六月三号，别忘了", "我的生日是六月三号"),
]
TALK = [
    "this is our song, remember that",
    "I told you so, remember that?",
    "he said: I'm fine, remember that",
    "we ate there twice. Forget it.",
    "ich kann mir das nicht merken",
    "我说的话，你要记住",
    "我爱你，别忘了我",
    "Je ne sais pas, souviens-toi",
    "я же сказала запомни",
    "я тебя прошу, запомни",
    "это наша песня, запомни",
    "これテストに出るから覚えといて",
    "君のこと好きだから覚えといて",
    "いい天気だから覚えといて",
]


@for_each(("message", "told"), REQUESTS)
def test_statement_before_the_request_becomes_a_note(message: str, told: str) -> None:
    command = parse_command(message)
    assert command is not None
    assert command.kind is CommandKind.REMEMBER
    assert command.argument == told
    assert command.model_text == message


@for_each("message", TALK)
def test_talk_that_ends_like_a_request_becomes_no_note(message: str) -> None:
    assert parse_command(message) is None


def test_recognition_of_hostile_text_is_quick() -> None:
    assert parse_command("I am " + "a, " * 90) is None
    assert parse_command("我，" * 140) is None
    assert parse_command("I am fine, remember that. " * 100) is None
