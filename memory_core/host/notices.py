"""The words in which the model is told of a command: what was done, or why it was not."""

from ..text.commands.parser import Command
from ..text.locales import Words, command_words


def words_for(command: Command) -> Words:
    """Returns the replies in the language of the command."""
    return command_words("zh" if command.is_chinese else "en")
