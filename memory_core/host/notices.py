"""Notices for the model about the outcome of a command, in the language of the command."""

from collections.abc import Iterator

from ..domain.errors import LongTermMemoryError
from ..prompt.plan import SHORT_ID_CHARS, PromptInputs, build_system_block
from ..prompt.system_block import SystemLine
from ..prompt.window import Window
from ..text.commands.parser import Command
from ..text.excerpts import excerpt
from ..text.locales import command_words, tab_words
from ..text.problem_text import problem_text

_LONGEST_QUOTE = 300
_MAX_OMITTED = 3
_LONGEST_OMITTED = 120

Replies = tuple[str, ...]


def reply(command: Command, key: str, **fields: object) -> Replies:
    """Returns the reply of this key in the language of the command."""
    return (command_words(command.language)(key, **fields),)


def translated(exc: LongTermMemoryError, command: Command) -> str:
    return problem_text(str(exc), tab_words(command.language))


def quote(text: str) -> str:
    """Returns the text on one line, cut to a length that a reply has room for."""
    return excerpt(" ".join(text.split()), _LONGEST_QUOTE)


def budget_notice(command: Command, window: Window, inputs: PromptInputs) -> Replies:
    """Returns a notice when the command's note does not fully fit the system block."""
    note = command.argument.replace("\n", " ")
    if not any(line.text == note for line in inputs.system_lines):
        return ()
    return tuple(_budget_messages(command, note, window, inputs))


def _budget_messages(
    command: Command, note: str, window: Window, inputs: PromptInputs
) -> Iterator[str]:
    words, block = command_words(command.language), build_system_block(window, inputs)
    if any(line.text == note for line in block.shortened):
        yield words["room_for_a_part"]
    if block.omitted:
        quoted = "; ".join(map(_quoted, block.omitted[-_MAX_OMITTED:]))
        yield words("no_room", count=len(block.omitted), text=quoted)


def _quoted(line: SystemLine) -> str:
    return f"{excerpt(line.text, _LONGEST_OMITTED)} [{line.memory_id[:SHORT_ID_CHARS]}]"
