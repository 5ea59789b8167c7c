"""The panel *Test my memory*."""

from collections.abc import Iterator
from typing import Any

import gradio as gr

from ..common import status
from ..common.frame import InputValues, Panel, Refresh, Selection, TabHeader, Updates
from ..common.recall_report import run_check


class RecallCheckPanel(Panel):
    def __init__(self, frame: TabHeader) -> None:
        self._frame = frame
        self._help = gr.HTML()
        button = gr.Button(size="sm", elem_id="ltm-recall-check", scale=0, min_width=180)
        self._button = frame.labels.bind(button, "value", "check_run")
        self._outcome = gr.HTML(elem_id="ltm-recall-checked")
        self.outputs: list[Any] = [self._help]

    def wire(self, refresh: Refresh) -> None:
        self._button.click(self._check, self._frame.inputs(), self._outcome)

    def show(self, view: Selection) -> Updates:
        return [status.paragraph(view.words["check_help"])]

    def _check(self, given: InputValues, request: gr.Request) -> Iterator[str]:
        view = self._frame.read_selection(given, request)
        yield status.paragraph(view.words["check_running"])
        yield run_check(self._frame.hooks.runtime, view)
