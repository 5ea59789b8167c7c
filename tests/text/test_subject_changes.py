"""Messages that only ask to talk about something else."""

import time

from memory_core.text.subject_changes import asks_to_change_the_subject
from tests.cases import for_each
from tests.in_time import within


@for_each(
    "message",
    [
        "sorry. lets talk about smth else",
        "let's talk about something else",
        "Can we change the subject, please?",
        "change of subject!",
        "ugh no, new topic pls",
        "i dont wanna talk about it",
        "Let's not talk about that tonight, ok?",
        "lass uns über was anderes reden",
        "ok, themawechsel",
        "ich will jetzt nicht darüber reden",
        "hablemos de otra cosa, porfa",
        "no quiero hablar de eso",
        "on peut parler d'autre chose ?",
        "je veux pas en parler",
        "давай о чём-нибудь другом",
        "ладно, сменим тему",
        "换个话题换个话题",
        "不想，换个话题吧",
        "咱们聊点别的",
        "別の話をしよう",
        "話題を変えよう",
    ],
)
def test_message_asks_only_to_change_the_subject(message: str) -> None:
    assert asks_to_change_the_subject(message)


@for_each(
    "message",
    [
        "let's talk about my exam",
        "let's talk about something else: when is my exam?",
        "my mum wants to change the subject of her thesis",
        "she said let's talk about something else",
        "i dont want to talk about my dad",
        "what was the other topic",
        "sorry",
        "ok",
        "ich rede gern über andere Themen",
        "换个手机吧",
        "他换了话题",
        "別の話だけど、明日試験なんだ",
    ],
)
def test_message_that_says_more_is_no_change_of_subject(message: str) -> None:
    assert not asks_to_change_the_subject(message)


@for_each("row", ["ok " * 33, "换个话题吧" * 19 + "x", "new topic ok,,," * 6 + "x"])
def test_row_of_wishes_with_a_rest_is_judged_at_once(row: str) -> None:
    with within(1.0, time.process_time):
        assert not asks_to_change_the_subject(row)
