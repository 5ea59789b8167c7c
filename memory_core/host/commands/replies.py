"""The replies to commands, which tell the model their outcome."""

from ...domain.errors import LongTermMemoryError
from ...text.commands.parser import Command
from ...text.excerpts import excerpt
from ...text.locales import command_words, tab_words
from ...text.problem_text import problem_text

_MAX_QUOTE_CHARS = 300

Replies = tuple[str, ...]


def reply(command: Command, key: str, **fields: object) -> Replies:
    """Returns the reply of this key in the language of the command."""
    return (command_words(command.language)(key, **fields),)


def translated(exc: LongTermMemoryError, command: Command) -> str:
    return problem_text(str(exc), tab_words(command.language))


def quote(text: str) -> str:
    """Returns the text on one line, cut to a length that a reply has room for."""
    return excerpt(" ".join(text.split()), _MAX_QUOTE_CHARS)
