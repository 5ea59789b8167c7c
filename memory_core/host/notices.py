"""Notices for the model about the outcome of a command."""

from collections.abc import Iterator

from ..prompt.plan import SHORT_ID_CHARS, PromptInputs, build_system_block
from ..prompt.system_block import SystemLine
from ..prompt.window import Window
from ..text.commands.parser import Command
from ..text.excerpts import excerpt
from ..text.locales import command_words

_MAX_QUOTED = 3
_LONGEST_QUOTE = 120


def budget_notice(command: Command, window: Window, inputs: PromptInputs) -> tuple[str, ...]:
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
        quoted = "; ".join(_quoted(line) for line in block.omitted[-_MAX_QUOTED:])
        yield words("no_room", count=len(block.omitted), text=quoted)


def _quoted(line: SystemLine) -> str:
    return f"{excerpt(line.text, _LONGEST_QUOTE)} [{line.memory_id[:SHORT_ID_CHARS]}]"
