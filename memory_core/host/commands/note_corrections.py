"""Finds the note that a message corrects: the last one asked for, or one that it names."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from ...prompt.window import ChatRow, Window
from ...text.commands.command import Command, CommandKind, needs_chinese_reply
from ...text.commands.parser import parse_command
from ...text.number_corrections import MAX_CORRECTION_CHARS
from ...text.statement_corrections import corrected_statement, names_a_word_of
from ..chat.exchanges import first_version_time

_MAX_CORRECTIONS = 3  # of one note, in as many messages
_MAX_NOTES = 4  # that a message may mean
_AT_ONCE_S = 1800.0


@dataclass(frozen=True, slots=True, kw_only=True)
class CorrectedNote:
    """The request for a note, and what the note should say after the messages that follow it."""

    request: Command
    text: str


def find_correction(window: Window) -> Command | None:
    """Returns the command to correct a note, if the message corrects the one asked for before."""
    found = corrected_note(window.past_rows, window.question)
    if found is None or not _is_at_once(window):
        return None
    return Command(
        kind=CommandKind.CORRECT_NOTE,
        argument=found.text,
        model_text=window.question,
        is_chinese=needs_chinese_reply(found.text),
        this_chat_only=found.request.this_chat_only,
        has_more_text=True,
    )


def corrected_note(past_rows: Sequence[ChatRow], message: str) -> CorrectedNote | None:
    """Returns the note that the message corrects, or None for any other message."""
    if len(message) > MAX_CORRECTION_CHARS:
        return None
    requests = islice(_requests_before(past_rows, message), _MAX_NOTES)
    for place, (request, corrections) in enumerate(requests):
        is_meant = place == 0 or names_a_word_of(request.argument, message)
        if is_meant and (found := _corrected(request, corrections)):
            return found
    return None


def _requests_before(
    past_rows: Sequence[ChatRow], message: str
) -> Iterator[tuple[Command, Sequence[str]]]:
    """Yields the requests for notes, last first, each with the messages that may correct it."""
    corrections = [message]
    for question in _questions_before(past_rows):
        command = parse_command(question)
        if command is not None and command.kind is CommandKind.REMEMBER:
            yield command, corrections
            corrections = [message]
        elif command is not None or len(corrections) == _MAX_CORRECTIONS:
            return
        else:
            corrections.insert(0, question)


def _questions_before(rows: Sequence[ChatRow]) -> Iterator[str]:
    return (row.question for row in reversed(rows) if row.question)


def _corrected(request: Command, corrections: Sequence[str]) -> CorrectedNote | None:
    text = request.argument
    for message in corrections:
        text = corrected_statement(text, message)
        if not text:
            return None
    return CorrectedNote(request=request, text=text)


def _is_at_once(window: Window) -> bool:
    """Returns whether the message follows the one before it soon, as far as times are known."""
    before = next((row for row in reversed(window.past_rows) if row.question), None)
    meta = window.rows[-1].user_meta if window.is_continuing else window.message_user_meta
    then, now = first_version_time(before.user_meta if before else None), first_version_time(meta)
    return then is None or now is None or now - then <= _AT_ONCE_S
