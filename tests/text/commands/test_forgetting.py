"""Wishes to forget in plain words are recognised; talk with the same words is not."""

from memory_core.text.commands.forgetting import asks_to_forget
from memory_core.text.commands.parser import CommandKind, parse_command
from tests.cases import for_each


@for_each(
    "text",
    [
        "forget what i said about darren",
        "Ugh, please forget everything I told you about my job.",
        "can you forget what I just said about Tom?",
        "I want you to forget everything I've told you about her",
        "please delete the memory of that night",
        "remove my address from your memory pls, ok? erase my address from your memory",
        "vergiss was ich über Alois gesagt habe",
        "Vergiss, was ich über Alois gesagt habe",
        "Vergiss bitte, was ich dir gesagt habe",
        "Vergiss, bitte, alles, was ich erzählt habe",
        "Bitte vergiss alles, was ich dir erzählt habe!",
        "olvida lo que te dije de Marta",
        "Olvida, por favor, lo que te dije de Marta",
        "olvida todo lo que dije de mi marido",
        "Por favor, olvídate de todo lo que te he contado",
        "oublie ce que je t'ai dit sur Paul",
        "Oublie, s'il te plaît, ce que je t'ai dit sur Paul",
        "Забудь, что я тебе говорил про Олю",
        "Забудь, пожалуйста, всё, что я говорила про Олю",
        "忘掉我说的关于小李的事",
        "删除关于小李的记忆",
        "请忘掉所有关于小李的记忆",
        "请忘记我刚才说的话。",
        "把我之前说的考试的事忘了吧",
        "さっき言ったことは忘れてください",
        "ok, just forget what I said",
        "Stop it and please forget what I told you",
        "请你把我说的话忘了吧",
        "你可以忘掉我刚才说的",
        "forget that I told you about Mark",
        "please forget my address",
        "delete everything you know about me",
        "Can you wipe your memory?",
        "I want you to forget everything about me",
        "erase all my data please",
        "clear our chat history",
        "Lösch bitte alles, was du über mich weißt",
        "vergiss meine Adresse",
        "borra todo lo que sabes de mí",
        "olvida mi número",
        "efface tout ce que tu sais sur moi",
        "oublie mon adresse",
        "удали всё, что ты знаешь обо мне",
        "забудь мой адрес",
        "忘掉我的地址",
        "请删除所有关于我的信息",
        "清空你的记忆",
        "把我的电话忘掉",
        "私の住所は忘れてください",
        "記憶を消して",
        "forget that",
        "Please forget that.",
        "ok, forget that please",
        "can you forget that?",
        "delete this message",
        "Vergiss das bitte wieder",
        "olvida eso",
        "oublie ça",
        "забудь это, пожалуйста",
        "把这个忘了吧",
        "忘掉这件事",
        "今のは忘れてください",
    ],
)
def test_wish_to_forget_is_recognised(text: str) -> None:
    command = parse_command(text)
    assert command is not None
    assert command.kind is CommandKind.FORGET_IN_WORDS
    assert command.model_text == text


@for_each(
    "text",
    [
        "forget it",
        "vergiss es",
        "forget that guy",
        "forget that, let's dance",
        "I forget that sometimes",
        "did you forget that?",
        "olvídalo",
        "算了，忘了吧",
        "Forget about him, let's dance!",
        "did you forget what I said about Darren?",
        "don't you dare forget what I told you",
        "I don't want you to forget what I said",
        "Don't just forget what I said.",
        "They just forget what I tell them.",
        "He nods and then forgets me, and will then forget everything I said.",
        "How could you forget what I told you?",
        "I would never want you to forget what I said",
        "Translate: forget what I told you",
        "How do I remove the photos? Remove them from your memory card, they say",
        "我不能忘记我告诉过你的事",
        "你怎么可以忘记我说的话",
        "你把我说的都忘了",
        "忘了我说过什么，你还记得",
        "忘了我告诉过你没有",
        "I always forget what we talked about",
        "you forget everything I say",
        '"Forget what I said," she whispered.',
        "*forget what I said about the king*",
        "vergiss nicht, was ich gesagt habe",
        "no olvides lo que te dije",
        "n'oublie pas ce que je t'ai dit",
        "не забудь, что я говорил",
        "别忘了我说的话",
        "你忘了我说过的话吗？",
        "不要把我说的话忘了",
        "言ったことを忘れてた",
        "forget I said anything",
        "forget I asked",
        "forget my birthday again and I'll cry",
        "he wiped my memory card",
        "clear your schedule",
        "I'd love to forget everything about that day",
        "forget all about it",
        "delete the memory card photos",
        "vergiss mich nicht",
        "olvídame",
        "oublie-moi",
        "忘掉他吧",
        "清空购物车",
        "私のことは忘れて",
        "電気を消して",
        "Forget what I said about the king. " + "It rained in the valley. " * 30,
    ],
)
def test_talk_about_forgetting_is_no_wish(text: str) -> None:
    command = parse_command(text)
    assert command is None or command.kind is not CommandKind.FORGET_IN_WORDS


def test_recognition_of_hostile_text_is_quick() -> None:
    assert not asks_to_forget("please " * 71)
    assert not asks_to_forget("把我说" * 166)
    assert not asks_to_forget("forget" + "\n" * 490)
    assert not asks_to_forget("forget " * 200_000)
