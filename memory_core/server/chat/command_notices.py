"""Tells of commands to the memory, none of which the server carries out.

A model that answers "forgotten!" would be believed, and a note that nobody saves would be missed.
"""

from ...text.commands.parser import (
    Command,
    CommandKind,
    is_command_message,
    is_unstored_request,
    parse_command,
)
from ...text.locales import command_words

_NOTES = {
    CommandKind.OFF_THE_RECORD: "off the record: this exchange is not stored",
    CommandKind.FORGET_IN_WORDS: "nothing was forgotten: that takes a call that deletes memories",
}
_NOT_HERE = (
    "commands are not carried out here, and their messages are not stored: use the calls that add, "
    "change and delete memories"
)


def command_to_report(message: str) -> Command | None:
    """Returns the command to tell of; "remember that …" is stored as the message that it is."""
    command = parse_command(message)
    if command is None or command.kind is not CommandKind.REMEMBER:
        return command
    return command if is_command_message(message) or is_unstored_request(message) else None


def notice_for_model(command: Command) -> str:
    keys = {
        CommandKind.OFF_THE_RECORD: "off_alone" if command.has_no_other_text else "off",
        CommandKind.FORGET_IN_WORDS: "forget_not_here",
    }
    return command_words(command.language)[keys.get(command.kind, "not_here")]


def note_for_client(command: Command) -> str:
    return _NOTES.get(command.kind, _NOT_HERE)
