"""Expectations of the parser that tests of requests not to remember share."""

from memory_core.text.commands.parser import CommandKind, is_unstored_request, parse_command


def assert_off_the_record(text: str) -> None:
    """The message is not stored, and the model reads it as it was typed."""
    command = parse_command(text)
    assert command is not None
    assert command.kind is CommandKind.OFF_THE_RECORD
    assert command.model_text == text
    assert is_unstored_request(text)


def assert_wish_to_forget(text: str) -> None:
    """The message is stored, and the answer names the command that forgets."""
    command = parse_command(text)
    assert command is not None
    assert command.kind is CommandKind.FORGET_IN_WORDS
    assert not is_unstored_request(text)


def assert_stored(text: str) -> None:
    """The message is talk, or asks to remember something."""
    command = parse_command(text)
    assert command is None or command.kind is CommandKind.REMEMBER
    assert not is_unstored_request(text)
