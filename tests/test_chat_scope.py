"""What shall be remembered in this chat alone, and what only speaks of chats."""

import time

import pytest

from memory_core.commands import CommandKind, read, recordable
from memory_core.records import Exchange

HERE = {
    "/remember chat: my name is Bo": "my name is Bo",
    "/remember this chat: my name is Bo": "my name is Bo",
    "/remember here: my name is Bo": "my name is Bo",
    "/remember in this chat only: my name is Bo": "my name is Bo",
    "/remember that my name is Bo, in this chat only.": "my name is Bo",
    "/remember my name is Bo (only in this conversation)": "my name is Bo",
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
    "Remember that my name is Bo. Only in this chat! Who am I?": "my name is Bo",
    "请记住我叫小波，仅限本对话。": "我叫小波",
    "请记住，只在这个对话里，我叫小波": "我叫小波",
    "只在这个对话里，请记住我叫小波": "我叫小波",
    "記住我叫小波（只在本次聊天中有效）": "我叫小波",
    "别忘了我叫小波，仅在此会话中有效": "我叫小波",
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
]
NOTHING = [
    "Remember that in this chat only",
    "Remember that time, in this chat only",
    "In this chat only we speak French",
    "只在这个对话里说英文",
    "请记住，只在这个对话里",
]


@pytest.mark.parametrize(("text", "kept"), HERE.items())
def test_what_shall_hold_in_this_chat_alone_is_read_without_that(text, kept):
    command = read(text)
    assert command is not None
    assert (command.kind, command.argument, command.is_here) == (CommandKind.REMEMBER, kept, True)


@pytest.mark.parametrize("text", EVERYWHERE)
def test_all_else_holds_everywhere(text):
    command = read(text)
    assert command is not None
    assert not command.is_here


@pytest.mark.parametrize("text", NOTHING)
def test_the_scope_alone_is_nothing_to_remember(text):
    assert read(text) is None


def test_a_slash_command_with_nothing_but_the_scope_has_nothing_to_remember():
    command = read("/remember in this chat only")
    assert command is not None
    assert (command.argument, command.is_bare) == ("", True)


def test_the_model_reads_plain_words_whole_and_a_slash_command_without_the_scope():
    whole, cut = (
        read(f"{it} my name is Bo, in this chat only") for it in ("Remember that", "/remember")
    )
    assert whole is not None
    assert cut is not None
    assert whole.rest == "Remember that my name is Bo, in this chat only"
    assert cut.rest == "my name is Bo"


def test_a_message_for_this_chat_alone_is_no_memory_of_its_own():
    texts = [*HERE, "hi", "Remember that I like tea"]
    found = recordable([Exchange(user=it, assistant="ok") for it in texts])
    assert [it.user for it in found] == ["hi", "Remember that I like tea"]


def test_no_message_takes_long_to_read():
    started = time.process_time()
    for text in (f"remember that x{' ' * 50_000}y", f"{'( ' * 50_000}only", "只" * 50_000):
        read(text)
        read(f"/remember {text}")
    assert time.process_time() - started < 2.0
