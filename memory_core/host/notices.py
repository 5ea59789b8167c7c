"""The words in which the model is told of a command: what was done, or why it was not."""

from collections.abc import Iterator

from ..prompt.plan import SHORT_ID_CHARS, PromptInputs, SystemLine, build_system_block
from ..prompt.window import Window
from ..text.commands.parser import Command, CommandKind
from ..text.locales import Words, command_words
from ..text.sentences import excerpt

_MAX_QUOTED = 3
_LONGEST_QUOTE = 120


def budget_notice(
    command: Command | None, window: Window, material: PromptInputs
) -> tuple[str, ...]:
    """Only where something was kept just now: so it is told once for each that is."""
    if command is None or command.kind is not CommandKind.REMEMBER:
        return ()
    said = command.argument.replace("\n", " ")
    if not any(it.text == said for it in material.system_lines):
        return ()
    return tuple(_told(command, said, window, material))


def _told(command: Command, said: str, window: Window, material: PromptInputs) -> Iterator[str]:
    words, chosen = words_for(command), build_system_block(window, material)
    if any(it.text == said for it in chosen.shortened):
        yield words["room_for_a_part"]
    if chosen.omitted:
        quoted = "; ".join(_quoted(it) for it in chosen.omitted[-_MAX_QUOTED:])
        yield words("no_room", count=len(chosen.omitted), text=quoted)


def _quoted(line: SystemLine) -> str:
    return f"{excerpt(line.text, _LONGEST_QUOTE)} [{line.memory_id[:SHORT_ID_CHARS]}]"


def words_for(command: Command) -> Words:
    """Returns the replies in the language of the command."""
    return command_words("zh" if command.is_chinese else "en")
