"""A wish to forget that names something intimate is recognised in more words; talk is not."""

from memory_core.text.commands.forgetting import asks_to_forget
from tests.cases import for_each


@for_each(
    "text",
    [
        "can you forget that i drink too much",
        "could you please forget that i'm gay",
        "forget that i'm pregnant",
        "please forget that i cheated",
        "forget i told you i was pregnant",
        "forget about what i told you yesterday",
        "forget the thing i told you about tom",
        "can you delete that",
        "delete my last message",
        "unremember that",
        "please erase what i said about zoe",
        "i want you to forget that i cried",
        "i dont want you to remember that i cried",
        "you should forget i ever mentioned zoe",
        "kannst du vergessen dass ich zu viel trinke",
        "kannst du das vergessen?",
        "vergiss dass ich schwanger bin",
        "bitte vergiss das mit jörg",
        "lösch alles über mich",
        "olvida que estoy embarazada",
        "borra lo de antonio",
        "olvídate de lo que te conté",
        "oublie que je suis enceinte",
        "oublie ce que j'ai dit sur paul",
        "tu peux oublier ça ?",
        "забудь что я беременна",
        "забудь что я говорила про маму",
        "忘掉我怀孕这件事",
        "把我挂科的事忘了吧",
        "能忘掉我挂科的事吗",
        "妊娠したこと忘れて",
        "さっきの話忘れて",
        "私が離婚したことは忘れてください",
    ],
)
def test_wish_to_forget_something_intimate_is_recognised(text: str) -> None:
    assert asks_to_forget(text)


@for_each(
    "text",
    [
        "don't forget that i'm gay",
        "i forgot that i'm gay for a second",
        "forget about him, he's a jerk",
        "i want to forget that i cheated",
        "can you forget a face like that?",
        "i can't forget that i cheated",
        "how could you forget that i'm gay",
        "never forget that i love you",
        "ich kann nicht vergessen dass ich betrogen wurde",
        "vergiss nicht dass ich schwanger bin",
        "hast du vergessen dass ich schwanger bin",
        "wie kannst du vergessen dass ich schwanger bin",
        "no olvides que estoy embarazada",
        "olvidé que estoy embarazada",
        "cómo puedes olvidar que estoy embarazada",
        "n'oublie pas que je suis enceinte",
        "j'ai oublié que je suis enceinte",
        "не забудь что я беременна",
        "я забыла что я беременна",
        "别忘了我怀孕的事",
        "我忘了我怀孕的事",
        "你忘了我怀孕的事吗",
        "他忘了我怀孕的事",
        "妊娠したこと忘れてた",
        "忘れてほしくない",
        "妊娠したこと忘れてない？",
        "forget that I love you",
        "vergiss jörg",
    ],
)
def test_intimate_talk_about_forgetting_is_no_wish(text: str) -> None:
    assert not asks_to_forget(text)
