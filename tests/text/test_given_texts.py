"""Requests to work on a text that the message gives."""

from memory_core.text.given_texts import gives_text_to_work_on
from tests.cases import for_each


@for_each(
    "message",
    [
        'rewrite this so it sounds less rude: "you parked across my drive again"',
        "Translate into German: my sister arrives on Monday",
        "can you fix the grammar\n\nme and my brother was at the lake",
        "Please summarize: “We went to the lake and my brother fell in.”",
        "make this shorter: I would like to ask if you could feed the cat",
        "Übersetze bitte: Meine Schwester kommt am Montag an",
        'corrige les fautes: "je vous écrit au sujet du colis"',
        "traduce esto al inglés: mi hermana llega el lunes",
        "переведи на английский: моя сестра приедет в понедельник",
        "帮我把这句话翻译成英文：我妹妹星期一到",
        "次の文を英語に訳して:妹は月曜日に着きます",
    ],
)
def test_text_to_work_on_is_recognised(message: str) -> None:
    assert gives_text_to_work_on(message)


@for_each(
    "message",
    [
        "rewrite the poem you wrote for my sister",
        "translate the letter from my landlord, please",
        "check whether my exam is on Monday",
        "I said: my sister arrives on Monday",
        "fix the date: when was my sister coming",
        "say hi to your sister",
        "make it quick: when does she arrive?",
        "write a card for my mum: she likes roses and the sea",
        "帮我写张卡片：我妈喜欢玫瑰",
    ],
)
def test_other_request_gives_no_text_to_work_on(message: str) -> None:
    assert not gives_text_to_work_on(message)
