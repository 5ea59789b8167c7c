"""The panel that shows the language model's background work, and starts or pauses it."""

from typing import Any

import gradio as gr

from ....consolidation.status import WorkState
from ..common import status
from ..common.frame import InputValues, Panel, Refresh, Selection, TabHeader, Updates
from ..common.gradio_compat import quiet
from .consolidation_row import consolidation_text

_IDLE_FOR_GOOD = frozenset((WorkState.OFF, WorkState.NO_MODEL))


class WorkPanel(Panel):
    """Shows the work. A pause lasts until somebody resumes the work, or the program ends."""

    def __init__(self, frame: TabHeader) -> None:
        self._frame = frame
        self._work = frame.administration.consolidation
        self._html = gr.HTML(elem_id="ltm-work")
        with gr.Row():
            now = gr.Button(size="sm", elem_id="ltm-work-now")
            self._now = frame.labels.bind(now, "value", "work_run_now")
            self._pause = gr.Button(size="sm", elem_id="ltm-work-pause")
        self.outputs = [self._html, self._now, self._pause]

    def wire(self, refresh: Refresh) -> None:
        given = self._frame.inputs()
        self._now.click(self._run_now, given, self.outputs, **quiet())
        self._pause.click(self._toggle, given, self.outputs, **quiet())

    def show(self, view: Selection) -> Updates:
        return self._draw(view, "")

    def _run_now(self, given: InputValues, request: gr.Request) -> Updates:
        view = self._frame.read_selection(given, request)
        if self._frame.hooks.host.is_multi_user():
            return self._draw(view, view.words["shared_page"])
        has_begun = self._work.run_now()
        is_possible = has_begun or self._work.state() in (WorkState.WORKING, WorkState.NOT_LOADED)
        return self._draw(view, "" if is_possible else view.words["work_cannot_begin"])

    def _toggle(self, given: InputValues, request: gr.Request) -> Updates:
        view = self._frame.read_selection(given, request)
        if self._frame.hooks.host.is_multi_user():
            return self._draw(view, view.words["shared_page"])
        if self._work.is_paused:
            self._work.resume()
        else:
            self._work.pause()
        return self._draw(view, "")

    def _draw(self, view: Selection, message: str) -> list[Any]:
        lines = consolidation_text(self._work, view.namespace, view.words).split("\n")
        sentences = [f"{line[:1].upper()}{line[1:]}" for line in lines]
        html = "".join(map(status.paragraph, [*sentences, message]))
        key = "work_resume" if self._work.is_paused else "work_pause"
        is_shared = self._frame.hooks.host.is_multi_user()
        can_work = self._work.state() not in _IDLE_FOR_GOOD and not is_shared
        pause = gr.update(value=view.words[key], visible=can_work)
        return [html, gr.update(visible=can_work), pause]
