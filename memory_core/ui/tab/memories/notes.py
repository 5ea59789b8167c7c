"""The panel in which a person writes a note."""

from collections.abc import Sequence
from typing import Any

import gradio as gr

from ....domain.errors import LongTermMemoryError
from ....text.problem_text import failure_text
from ..common import status
from ..common.frame import InputValues, Panel, Refresh, Selection, TabHeader, Updates
from . import note_actions
from .note_actions import NoteScope


class NotesPanel(Panel):
    def __init__(self, frame: TabHeader) -> None:
        self._frame = frame
        put = frame.labels.bind
        self._help = gr.HTML()
        self._text = put(gr.Textbox(lines=2, elem_id="ltm-note-text"), "label", "note_text")
        self._scope = put(gr.Radio(elem_id="ltm-note-reach"), "label", "note_reach")
        self._add = put(gr.Button(size="sm", elem_id="ltm-note"), "value", "note_run")
        self._message = gr.HTML(elem_id="ltm-note-told")
        self.outputs = [self._help, self._text, self._message, self._scope]

    def wire(self, refresh: Refresh) -> None:
        given = self._frame.inputs(self._text, self._scope)
        refresh.after(self._add.click(self._add_note, given, [self._message, self._text]))

    def show(self, view: Selection) -> Updates:
        """Updates the panel; the last message and typed text stay with their character."""
        words, offered = view.words, note_actions.offered_scopes(self._frame.hooks)
        choices = [(words[f"note_{scope}"], scope.value) for scope in offered]
        chosen: dict[str, Any] = {} if view.is_refresh else {"value": _first_scope(view, offered)}
        return [
            status.paragraph(words["note_help"]),
            gr.skip() if view.is_refresh else "",
            gr.skip() if view.is_refresh else "",
            gr.update(choices=choices, **chosen),
        ]

    def _add_note(self, given: InputValues, request: gr.Request) -> Updates:
        """Adds a note and empties its field; the text of a note that failed stays."""
        view = self._frame.read_selection(given, request)
        text, reach = str(given[self._text] or ""), str(given[self._scope])
        try:
            told = note_actions.add_note(
                self._frame.hooks,
                view.chosen,
                text,
                reach,
                view.words,
                conversation=view.conversation,
            )
        except note_actions.NoteRefused as exc:
            return [status.paragraph(str(exc)), gr.skip()]
        except LongTermMemoryError as exc:
            return [status.paragraph(failure_text(exc, view.words)), gr.skip()]
        return [status.paragraph(told), ""]


def _first_scope(view: Selection, offered: Sequence[NoteScope]) -> NoteScope | None:
    """Returns the scope chosen at first: the chosen character, else none beside others.

    A note meant for a new character must not reach everybody by default.
    """
    if view.chosen:
        return NoteScope.THIS
    return None if view.visible else offered[-1]
