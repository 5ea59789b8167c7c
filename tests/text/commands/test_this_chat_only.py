"""Requests for this chat only are distinguished from messages that merely mention chats."""

import time

import pytest

from memory_core.text.commands.parser import (
    CommandKind,
    is_command_message,
    is_unstored_request,
    parse_command,
)
from tests.cases import for_each
from tests.in_time import within

HERE = {
    "/remember chat: my name is Bo": "my name is Bo",
    "/remember this chat: my name is Bo": "my name is Bo",
    "/remember here: my name is Bo": "my name is Bo",
    "/remember in this chat only: my name is Bo": "my name is Bo",
    "/remember that my name is Bo, in this chat only.": "my name is Bo",
    "/remember my name is Bo (only in this conversation)": "my name is Bo",
    "/remember ich heiße Bo, nur für diesen Chat": "ich heiße Bo",
    "merk dir nur für diesen chat, dass ich Bo heiße": "dass ich Bo heiße",
    "Merk dir, dass ich Bo heiße, nur in diesem Gespräch.": "dass ich Bo heiße",
    "Nur in diesem Chat: merk dir, dass ich Bo heiße": "dass ich Bo heiße",
    "merk dir nur in diesem Chat: ich heiße Bo": "ich heiße Bo",
    "/记住 本对话：我叫小波": "我叫小波",
    "/记住 对话：我叫小波": "我叫小波",
    "/记住 我叫小波，仅限本对话": "我叫小波",
    "/记住：只在这个对话里，我叫小波": "我叫小波",
    "Remember that my name is Bo, in this chat only.": "my name is Bo",
    "Remember that my name is Bo in this chat only": "my name is Bo",
    "Remember, in this chat only, that my name is Bo": "my name is Bo",
    "Remember for this conversation only: my name is Bo": "my name is Bo",
    "For this chat only, remember that my name is Bo": "my name is Bo",
    "Just for this chat: please remember that my name is Bo.": "my name is Bo.",
    "Don't forget that my name is Bo – only in this thread!": "my name is Bo",
    "Remember that my name is Bo. Only in this chat!": "my name is Bo",
    "Remember that, in this chat only, my name is Bo": "my name is Bo",
    "Remember: only in this chat! My name is Bo": "My name is Bo",
    "Remember: (just in this chat) my name is Bo": "my name is Bo",
    "Remember only in this chat that my name is Bo": "my name is Bo",
    "Only in this chat remember that my name is Bo": "my name is Bo",
    "Remember that my name is Bo just for this chat only": "my name is Bo",
    "Remember that my sister is Ana in this chat only": "my sister is Ana",
    "Remember that my name is Brent in this chat only": "my name is Brent",
    "Remember that my name is Bo, in this chat only, please 🙂": "my name is Bo",
    "/remember my name is Bo, in this chat only. Thank you!": "my name is Bo",
    "Remember that my name is Bo, in this chat only. Thanks!": "my name is Bo",
    "Remember that my name is Bo, in this chat only.\n\nThank you, please 🙏": "my name is Bo",
    "Remember that I am Bo. You are my boss. Only in this chat!": "I am Bo. You are my boss",
    "In this chat only, remember that I am Bo. You are my boss.": "I am Bo. You are my boss.",
    "Remember, only in this chat, that I am Bo. You are my boss.": "I am Bo. You are my boss.",
    "请记住我叫小波，仅限本对话。": "我叫小波",
    "请记住，只在这个对话里，我叫小波": "我叫小波",
    "只在这个对话里，请记住我叫小波": "我叫小波",
    "記住我叫小波（只在本次聊天中有效）": "我叫小波",
    "别忘了我叫小波，仅在此会话中有效": "我叫小波",
    "请记住我叫小波 仅限本对话": "我叫小波",
    "只在这个对话里请记住我叫小波": "我叫小波",
    "请记住我叫小波，仅限本对话。谢谢你！": "我叫小波",
    "Remember that my name is Bo, but only in this chat": "my name is Bo",
    "My name is Boris, remember that, but only in this chat": "My name is Boris",
    "ich heiße Bo, merk dir das, aber nur in diesem Chat": "ich heiße Bo",
    "/remember me llamo Bo, solo en este chat": "me llamo Bo",
    "/remember este chat: me llamo Bo": "me llamo Bo",
    "Recuerda que me llamo Bo, solo en este chat.": "me llamo Bo",
    "recuerda que me llamo Bo, sólo para esta conversación porfa": "me llamo Bo",
    "Solo en este chat, recuerda que me llamo Bo": "me llamo Bo",
    "recuerda solo en este chat que me llamo Bo": "me llamo Bo",
    "recuerda, solo para este chat, que me llamo Bo": "me llamo Bo",
    "/remember je m'appelle Bo, seulement dans ce chat": "je m'appelle Bo",
    "/remember ce chat : je m'appelle Bo": "je m'appelle Bo",
    "Souviens-toi que je m'appelle Bo, seulement dans ce chat": "je m'appelle Bo",
    "retiens que je m'appelle Bo, juste pour cette conversation stp": "je m'appelle Bo",
    "uniquement dans ce chat, souviens-toi que je m'appelle Bo": "je m'appelle Bo",
    "souviens-toi seulement dans ce chat que je m'appelle Bo": "je m'appelle Bo",
    "/remember меня зовут Бо, только в этом чате": "меня зовут Бо",
    "/remember этот чат: меня зовут Бо": "меня зовут Бо",
    "Запомни, что меня зовут Бо, только в этом чате": "меня зовут Бо",
    "Запомни, что меня зовут Бо. Только для этого чата!": "меня зовут Бо",
    "только в этом чате: запомни, что меня зовут Бо": "меня зовут Бо",
    "запомни только в этом чате, что меня зовут Бо": "меня зовут Бо",
    "/remember 私はボー、このチャットだけ": "私はボー",
    "/remember このチャット：私はボー": "私はボー",
    "私はボーだって覚えておいて、このチャットだけ": "私はボーだ",
    "このチャットだけ、私はボーだって覚えておいて": "私はボーだ",
    "私はボーだって、この会話の中だけで覚えておいて": "私はボーだ",
    "覚えておいて：私はボー、このチャット限定で": "私はボー",
}
SAYS_MORE = {
    "Remember that my name is Bo. Only in this chat! Who am I?": "my name is Bo",
    "Remember that my name is Bo, in this chat only. By the way, I am ill.": "my name is Bo",
    "Remember that my name is Bo, in this chat only.\n\nMy mother died yesterday.": "my name is Bo",
    "Remember, in this chat only, that my name is Bo\nI am ill": "my name is Bo",
    "In this chat only, remember that my name is Bo.\nThanksgiving was sad.": "my name is Bo.",
    "请记住我叫小波，仅限本对话。我昨天病了。": "我叫小波",
    "Recuerda que me llamo Bo, solo en este chat. Ayer estuve enfermo.": "me llamo Bo",
    "Souviens-toi que je m'appelle Bo, seulement dans ce chat. J'ai faim.": "je m'appelle Bo",
    "Запомни, что меня зовут Бо, только в этом чате. Я заболел.": "меня зовут Бо",
    "请记住，只在这个对话里，我叫小波\n我昨天病了": "我叫小波",
}
EVERYWHERE = [
    "/remember my name is Bo",
    "/remember chatting is fun",
    "/remember the chat: it was good",
    "/记住 这个对话很重要",
    "Remember that my name is Bo",
    "Remember that we said so in this chat",
    "Remember that only Ana reads this",
    "请记住这个对话里我说过的话",
    "请记住我只喝茶",
    "Remember that I told you about my divorce only in this chat.",
    "Remember that only in this chat I can be myself",
    "Remember that in this chat only I can be myself",
    "Remember: only in our conversation can you be honest.",
    "Remember that you confessed it only in our conversation",
    "Remember that this story is for this chat only!",
    "Remember that this story isn't for this chat only!",
    "Remember that it's meant just for this chat only",
    "Remember that what happens in this chat stays in this chat only",
    'Remember that she said "in this chat only"',
    "Remember that I found the plugin this chat only",
    "recuerda que solo en este chat puedo ser yo mismo",
    "Recuerda que confesé mi divorcio solo en este chat.",
    "souviens-toi que seulement dans ce chat je suis libre",
    "Souviens-toi que je t'ai tout dit seulement dans ce chat.",
    "запомни, что только в этом чате я говорю правду",
    "запомни, что я говорю правду только в этом чате",
    "本音を言うのはこのチャットだけだって覚えておいて",
    "记住：只在这次谈话中我说了实话",
    "请记住我离婚的事只在这个聊天里",
    "请记住这件事仅限本对话",
]
NOTHING = [
    "Remember that in this chat only",
    "Remember that time, in this chat only",
    "In this chat only we speak French",
    "只在这个对话里说英文",
    "只在这次聊天里你说过，别忘了我爱你",
    "Only in this chat I said: remember that I love you",
    "Solo en este chat hablamos español",
    "Seulement dans ce chat on parle français",
    "только в этом чате говорим по-русски",
    "このチャットだけ日本語で話そう",
    "请记住，只在这个对话里",
]


@for_each(("text", "statement"), (HERE | SAYS_MORE).items())
def test_a_request_for_this_chat_only_is_parsed_without_its_scope(text, statement):
    command = parse_command(text)
    assert command is not None
    assert (command.kind, command.argument, command.this_chat_only) == (
        CommandKind.REMEMBER,
        statement,
        True,
    )


@for_each("text", EVERYWHERE)
def test_other_requests_apply_to_all_chats(text):
    command = parse_command(text)
    assert command is not None
    assert not command.this_chat_only


@for_each("text", NOTHING)
def test_the_scope_alone_is_nothing_to_remember(text):
    assert parse_command(text) is None


def test_a_slash_command_with_nothing_but_the_scope_has_nothing_to_remember():
    command = parse_command("/remember in this chat only")
    assert command is not None
    assert (command.argument, command.has_no_other_text) == ("", True)


def test_the_model_reads_plain_words_whole_and_a_slash_command_without_the_scope():
    whole, cut = (
        parse_command(f"{request} my name is Bo, in this chat only")
        for request in ("Remember that", "/remember")
    )
    assert whole is not None
    assert cut is not None
    assert whole.model_text == "Remember that my name is Bo, in this chat only"
    assert cut.model_text == "my name is Bo"


def test_a_message_for_this_chat_only_is_not_stored_as_a_memory():
    texts = [*HERE, "hi", "Remember that I like tea"]
    assert recorded(texts) == ["hi", "Remember that I like tea"]


@for_each("text", SAYS_MORE)
def test_a_message_that_says_more_is_stored_as_a_whole(text):
    assert recorded([text]) == [text]


def recorded(texts):
    said = [text for text in texts if not is_command_message(text)]
    return [text for text in said if not is_unstored_request(text)]


ADVERSE = [
    *("限于", "限於", "限", "在", "于", "於", "对", "對", "用于", "用於", "是"),
    *("限于限", "用于于", "在于用于", "只", "只限于", "仅仅", "在这个", "这个对话", "里面", "有效"),
    *("( ", "（", ", ", " ", "\n", "。", ". ", "- ", "in ", "in this ", "in this chat ", "only "),
    *("just in ", "in this chat only ", "in this chat only. ", "only in this chat, ", "is not "),
    *(
        "thanks",
        "ok ",
        "please ",
        "that ",
        "thank you ",
        "谢",
        "please thanks",
        "限于in ",
        "(" * 99 + ". ",
        "只在这个对话里",
    ),
]


@pytest.mark.slow
@pytest.mark.parametrize("piece", ADVERSE)
def test_every_message_is_parsed_fast(piece):
    many = piece * (50_000 // len(piece))
    with within(12, time.process_time):
        for text in (
            f"只{many}",
            f"{many}，只",
            f"(only{many}only",
            f"in this chat only{many}x",
            f"remember that x{many}y",
            f"remember: in this chat only{many}y",
            f"remember that x, in this chat only.{many}y",
            f"remember{many}in this chat only: y",
            f"remember that x y{many}in this chat only",
            f"记住，只{many}我",
            f"记住我叫{many}，只{many}",
        ):
            parse_command(text)
            parse_command(f"/remember {text}")
            recorded([text])
