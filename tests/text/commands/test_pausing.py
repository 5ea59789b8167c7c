"""A wish in plain words that nothing more be remembered is recognised; talk is not."""

import time

from memory_core.text.commands.pausing import asks_to_pause
from tests.cases import for_each
from tests.in_time import within


@for_each(
    "text",
    [
        "dont save the next message",
        "don't remember my next message",
        "dont save what i say next",
        "dont remember what im about to say",
        "dont remember anything from now on",
        "dont save anything i say today",
        "from now on don't save anything",
        "die nächste nachricht bitte nicht speichern",
        "speicher die nächste nachricht nicht",
        "merk dir nicht was ich jetzt sage",
        "merk dir ab jetzt nichts",
        "hör auf dir sachen zu merken",
        "no guardes el próximo mensaje",
        "no guardes lo que voy a decir",
        "deja de guardar lo que digo",
        "retiens pas le prochain message",
        "arrête de retenir tout",
        "не запоминай следующее сообщение",
        "хватит запоминать",
        "больше ничего не записывай",
        "下一条别记",
        "接下来别记了",
        "从现在开始别记",
        "别再记了",
        "次のメッセージは覚えないで",
        "もう覚えないで",
        "can u stop remembering stuff",
        "stop saving my messages",
        "stop remembering",
        "please stop remembering things about me",
        "i want this chat to be private",
        "go off the record",
        "don't remember what i say now",
        "dont save what i'm going to say",
        "don't save stuff i tell you",
        "this chat is off the record",
        "merk dir von jetzt an nichts",
        "hor auf alles zu speichern",
        "note pas ce que je vais dire",
        "à partir de maintenant, note rien",
        "прекрати всё записывать",
        "не запоминай то, что я сейчас скажу",
        "以后别记",
        "别记我说的话",
    ],
)
def test_wish_to_remember_nothing_more_is_recognised(text: str) -> None:
    assert asks_to_pause(text)


@for_each(
    "text",
    [
        "stop it",
        "stop saving money",
        "i can't stop remembering my ex",
        "don't remember anything from last night",
        "i dont remember anything",
        "stop recording me, mom!",
        "i stopped saving",
        "don't save anything for me, i'm full",
        "the next message is important",
        "hör auf",
        "merk dir das",
        "merk dir nichts von dem was tom sagt",
        "ich kann mir ab jetzt nichts mehr merken",
        "no recuerdo nada",
        "no recuerdes nada malo",
        "deja de llorar",
        "хватит плакать",
        "я ничего больше не запоминаю",
        "别记",
        "别记这个",
        "别再记恨我了",
        "下一条街",
        "停止记仇",
        "もう覚えてない",
        "off the record: i quit",
        "don't remember what i said",
        "don't save this",
    ],
)
def test_talk_with_such_words_is_no_wish_to_pause(text: str) -> None:
    assert not asks_to_pause(text)


@for_each(
    "text", ["stop remembering " * 7, "stop" + " " * 110, "please " * 16 + "stop", "别再" * 60]
)
def test_recognition_of_hostile_text_is_quick(text: str) -> None:
    with within(1, time.process_time):
        asks_to_pause(text)
