"""Keyboards and programs put characters that nobody sees before a message."""

from memory_core.domain.unicode import without_unseen_start
from memory_core.text.commands.parser import (
    is_command_message,
    is_unstored_request,
    parse_command,
)
from tests.cases import for_each
from tests.in_time import within


@for_each(
    "text",
    [
        "\u200b/off my code is 4711",
        "\ufeff/off my code is 4711",
        "\u200e \u202a/off my code is 4711",
        "/off\u200b my code is 4711",
        "\u200b/forget last",
        "\u2060/记住 我的猫叫汤姆",
    ],
)
def test_command_behind_unseen_characters_is_a_command(text: str) -> None:
    assert is_command_message(text)


def test_text_of_a_command_has_no_unseen_characters_around_it() -> None:
    command = parse_command("\u200b/off\u200b my code is 4711")
    assert command is not None
    assert command.argument == "my code is 4711"


def test_wish_behind_unseen_characters_keeps_the_message_out() -> None:
    assert is_unstored_request("\u200bDon't remember this: my code is 4711.")


@for_each("text", ["", " /off", "hello\u200b", "é", " \n"])
def test_text_without_an_unseen_start_stays_as_it_is(text: str) -> None:
    assert without_unseen_start(text) == text


def test_many_unseen_characters_take_no_time() -> None:
    with within(0.5):
        assert without_unseen_start("\u200b " * 100_000 + "/off") == " /off"
        assert without_unseen_start(" " * 200_000) == " " * 200_000
