"""Everything that the page shows about an intake, as one value."""

from collections.abc import Sequence
from dataclasses import dataclass

from ....admin.importers.job import ImportStatus
from ....admin.intake import IntakeStatus
from ....text.locales import Words
from ..common.actions import button_html
from ..common.status import escaped

FIELD = "ltm-transfer-action"
_MINUTE, _HOUR = 60.0, 3600.0
_MAX_LISTED = 50


@dataclass(frozen=True, slots=True, kw_only=True)
class IntakeView:
    """The intake's state and the import's, in the words of the page.

    `failures` name the skipped parts with reasons. `characters` can be chosen if the files name
    none, and `chosen` is offered first; `unnamed` are the files that name none. `user` is who
    chats on the page. `notice` is the answer to a click without effect.
    """

    words: Words
    status: IntakeStatus
    job: ImportStatus
    failures: Sequence[str] = ()
    names_all: bool = True
    unnamed: Sequence[str] = ()
    characters: Sequence[str] = ()
    chosen: str = ""
    user: str = ""
    notice: str = ""


def card(title: str, *parts: str, kind: str = "") -> str:
    """Returns a card with a heading; `parts` are HTML."""
    return f'<section class="ltm-card {kind}"><h4>{escaped(title)}</h4>{"".join(parts)}</section>'


def line(text: str, style: str = "") -> str:
    """Returns an escaped paragraph, or nothing for an empty text."""
    return f'<p class="{style}">{escaped(text)}</p>' if text else ""


def bullets(texts: Sequence[str]) -> str:
    return f"<ul>{''.join(f'<li>{escaped(text)}</li>' for text in texts)}</ul>" if texts else ""


def folded(title: str, inner: str, state: str = "") -> str:
    """Returns a folded part, or an unfolded one with the state `open`; `inner` is HTML."""
    summary = f"<summary>{escaped(title)}</summary>"
    return f'<details class="ltm-fold" {state}>{summary}{inner}</details>'


def buttons(*made: str) -> str:
    return f'<div class="ltm-row">{"".join(made)}</div>'


def danger(button: str) -> str:
    """Returns the button in the style of a warning."""
    return button.replace('class="ltm-button"', 'class="ltm-button ltm-danger"')


def left_out(view: IntakeView) -> str:
    """Returns the folded list of skipped files and chats, or ""."""
    words = view.words
    texts = [*_file_notes(view), *view.failures]
    if not texts:
        return ""
    shown = texts[:_MAX_LISTED]
    if len(texts) > len(shown):
        shown.append(words("import_more", count=len(texts) - len(shown)))
    return folded(words("left_out", count=len(texts)), bullets(shown))


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
    shown = [*names[:_MAX_LISTED]]
    if len(names) > len(shown):
        shown.append(words("import_more", count=len(names) - len(shown)))
    go_on = buttons(button_html(FIELD, "others", words["postponed_run"]))
    return line(words("postponed_files", count=len(names))) + bullets(shown) + go_on


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
