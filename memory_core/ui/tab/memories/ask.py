"""Answers the question in the search field, with the sources of the answer."""

from collections.abc import Iterator
from typing import Any

import gradio as gr

from ....domain.errors import LongTermMemoryError
from ....domain.namespaces import Namespace
from ....memory.questions import Question
from ....text.locales import Words
from ....text.problem_text import failure_text
from ....text.questions import asks
from ..common import status
from ..common.actions import ActionField, drawn_anew
from ..common.frame import InputValues, Panel, Refresh, Selection, TabHeader, Updates
from ..common.gradio_compat import quiet
from .ask_html import FIELD, answer_html

_LONGEST = 2_000


class AskPanel(Panel):
    """Asking changes nothing. Gradio runs the handler in a thread of its own."""

    def __init__(self, frame: TabHeader) -> None:
        self._frame = frame
        self._search = frame.search
        self._actions = ActionField(FIELD)
        self._html = gr.HTML(elem_id="ltm-ask-answer")
        self.outputs = [self._html]

    def wire(self, refresh: Refresh) -> None:
        given = self._frame.inputs(self._search)
        self._actions.wire(self._ask, given, [self._html])
        self._search.submit(self._ask_if_question, given, self._html, **quiet())

    def show(self, view: Selection) -> Updates:
        """Removes the answer if it was about another character's memories."""
        return [gr.skip() if view.is_refresh else ""]

    def _ask_if_question(self, given: InputValues, request: gr.Request) -> Iterator[Any]:
        """Removes the last answer for a search for words, whose results the list shows already."""
        if asks(self._question(given)):
            yield from self._ask(given, request)
        else:
            yield ""

    def _ask(self, given: InputValues, request: gr.Request) -> Iterator[str]:
        view, text = self._frame.read_selection(given, request), self._question(given)
        if view.namespace is None or not text:
            yield ""
            return
        yield status.paragraph(view.words["ask_waiting"])
        yield drawn_anew(self._answer(view.namespace, text, view.words))

    def _question(self, given: InputValues) -> str:
        return str(given[self._search] or "")[:_LONGEST].strip()

    def _answer(self, namespace: Namespace, text: str, words: Words) -> str:
        try:
            runtime: Any = self._frame.hooks.runtime
            found = runtime.memory.answer(Question(text=text, namespaces=(namespace,)))
            return answer_html(text, found, words)
        except LongTermMemoryError as exc:
            return status.paragraph(failure_text(exc, words))
