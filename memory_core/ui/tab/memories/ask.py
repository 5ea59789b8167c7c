"""The panel *Ask your memory*: a question, its answer, and the sources of the answer."""

from collections.abc import Iterator
from typing import Any

import gradio as gr

from ....domain.errors import LongTermMemoryError
from ....domain.namespaces import Namespace
from ....memory.questions import Question
from ....text.locales import Words
from ..common import status
from ..common.actions import drawn_anew
from ..common.failure_text import failure_text
from ..common.frame import InputValues, Selection, TabHeader, Updates
from ..common.gradio_compat import quiet
from .ask_html import answer_html

_LONGEST = 2_000


class AskPanel:
    """Asking changes nothing. Gradio runs the handler in a thread of its own."""

    def __init__(self, frame: TabHeader) -> None:
        self._frame = frame
        put = frame.labels.bind
        with gr.Row(elem_id="ltm-ask") as self._row:
            question = gr.Textbox(
                elem_id="ltm-ask-question", max_lines=3, scale=5, container=False, min_width=160
            )
            put(question, "label", "ask_label")
            self._question = put(question, "placeholder", "ask_hint")
            button = gr.Button(elem_id="ltm-ask-button", size="sm", scale=1, min_width=90)
            self._button = put(button, "value", "ask_button")
        self._html = gr.HTML(elem_id="ltm-ask-answer")
        self.outputs = [self._row, self._html]

    def wire(self) -> None:
        events = [self._button.click, self._question.submit]
        given = self._frame.inputs(self._question)
        gr.on(events, self._ask, given, self._html, **quiet())

    def show(self, view: Selection) -> Updates:
        """Removes the answer if it was about another character's memories.

        As long as there are no memories, there is nothing to ask.
        """
        return [gr.update(visible=bool(view.namespace)), gr.skip() if view.is_refresh else ""]

    def _ask(self, given: InputValues, request: gr.Request) -> Iterator[str]:
        view = self._frame.read_selection(given, request)
        text = str(given[self._question] or "")[:_LONGEST].strip()
        if view.namespace is None or not text:
            yield status.paragraph(view.words["nobody" if view.namespace is None else "ask_empty"])
            return
        yield status.paragraph(view.words["ask_waiting"])
        yield drawn_anew(self._answer(view.namespace, text, view.words))

    def _answer(self, namespace: Namespace, text: str, words: Words) -> str:
        try:
            runtime: Any = self._frame.hooks.runtime
            found = runtime.memory.answer(Question(text=text, namespaces=(namespace,)))
            return answer_html(found, words)
        except LongTermMemoryError as exc:
            return status.paragraph(failure_text(exc, words))
