"""The panel *Diary*: pages by date, written by hand or drafted from the day's chat."""

from collections.abc import Iterator
from dataclasses import replace

import gradio as gr

from ....domain.errors import LongTermMemoryError
from ....memory.diary import Diary
from ....text.problem_text import failure_text
from ..common import status
from ..common.actions import ActionField, drawn_anew
from ..common.frame import InputValues, Panel, Refresh, Selection, TabHeader, Updates
from .diary_clicks import DRAFT, FIRST_DIARY, DiaryClick, DiaryState, after_diary_click
from .diary_html import diary_html


class DiaryPanel(Panel):
    """One HTML element, and a hidden field for its clicks. A draft is saved only on request."""

    def __init__(self, frame: TabHeader) -> None:
        self._frame = frame
        self._runtime = frame.hooks.runtime
        self._html = gr.HTML(elem_id="ltm-diary-content")
        self._actions = ActionField("ltm-diary-action")
        self._state = gr.State(FIRST_DIARY)
        self.outputs = [self._html, self._state]

    def wire(self, refresh: Refresh) -> None:
        self._actions.wire(self._act, self._frame.inputs(self._state), self.outputs)

    def show(self, view: Selection) -> Updates:
        """Shows the pages; a refresh keeps the form of a page that is being written."""
        return [gr.skip(), gr.skip()] if view.is_refresh else self._draw(view, FIRST_DIARY)

    def _act(self, given: InputValues, request: gr.Request) -> Iterator[Updates]:
        view, action = self._frame.read_selection(given, request), self._actions.read(given)
        state: DiaryState = given[self._state]
        if action is None or view.namespace is None:
            yield self._draw(view, state)
            return
        if action.name == DRAFT:
            yield self._draw(view, replace(state, message=view.words["diary_drafting"], undo=None))
        click = DiaryClick(action=action, namespace=view.namespace, state=state, words=view.words)
        yield self._draw(view, after_diary_click(self._runtime, click))

    def _draw(self, view: Selection, state: DiaryState) -> Updates:
        if view.namespace is None:
            return [status.paragraph(view.words["nobody"]), FIRST_DIARY]
        try:
            diary = Diary(self._runtime.memory)
            pages = diary.pages(view.namespace, since=state.since, until=state.until)
        except LongTermMemoryError as exc:
            return [status.paragraph(failure_text(exc, view.words)), FIRST_DIARY]
        html = diary_html(pages, state, view.words, self._actions.button)
        return [drawn_anew(html), state]
