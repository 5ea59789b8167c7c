"""Everything that the page shows about an intake, as one value."""

from collections.abc import Sequence
from dataclasses import dataclass

from ....admin.intake import IntakeStatus
from ....text.locales import Words
from ..common.actions import button_html
from ..common.markup import bullets, first_of, folded, paragraph, row

FIELD = "ltm-transfer-action"
_MINUTE, _HOUR = 60.0, 3600.0
_MAX_LISTED = 50


@dataclass(frozen=True, slots=True, kw_only=True)
class IntakeView:
    """The intake's state in the words of the page.

    `failures` name the skipped parts with reasons. `characters` can be chosen if the files name
    none, and `chosen` is offered first. `user` is who chats on the page. `notice` is the answer to
    a click without effect.
    """

    words: Words
    status: IntakeStatus
    failures: Sequence[str] = ()
    characters: Sequence[str] = ()
    chosen: str = ""
    user: str = ""
    notice: str = ""


def close(words: Words) -> str:
    """Returns the button that closes the card of an intake that has ended."""
    return row(button_html(FIELD, "dismiss", words["intake_close"]))


def left_out(view: IntakeView) -> str:
    """Returns the folded list of skipped files and chats, or ""."""
    words = view.words
    texts = [*_file_notes(view), *view.failures]
    if not texts:
        return ""
    shown = bullets(first_of(texts, _MAX_LISTED, words))
    return folded(words("left_out", count=len(texts)), shown)


def _file_notes(view: IntakeView) -> list[str]:
    words, status = view.words, view.status
    unknown = [words("unknown_file", name=name) for name in status.unknown]
    return unknown + [
        words("skipped_files", name=name, count=count) for name, count in status.skipped.items()
    ]


def postponed(view: IntakeView) -> str:
    """Returns the files that wait until the backup is dealt with, and a button for them; or ""."""
    words, names = view.words, view.status.postponed
    if not names:
        return ""
    shown = bullets(first_of(names, _MAX_LISTED, words))
    go_on = row(button_html(FIELD, "others", words["postponed_run"]))
    return paragraph(words("postponed_files", count=len(names))) + shown + go_on


def reasons(view: IntakeView) -> list[str]:
    """Returns the reasons why nothing could be imported, the most informative first."""
    fault = [view.status.fault] if view.status.fault else []
    return [*fault, *_file_notes(view), *view.failures][:_MAX_LISTED]


def formats_html(words: Words) -> str:
    """Returns the list of formats that can be imported."""
    kinds = ("chatgpt", "sillytavern", "textgen", "predecessors", "tables", "backups")
    return bullets([words[f"format_{kind}"] for kind in kinds])


def duration_text(seconds: float, words: Words) -> str:
    if seconds < _MINUTE:
        return words("seconds", count=max(1, round(seconds)))
    if seconds < _HOUR:
        return words("minutes", count=round(seconds / _MINUTE))
    return words("hours", count=round(seconds / _HOUR, 1))
