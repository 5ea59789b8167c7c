"""The card on a model that is not ready, at the head of the tab, with its actions."""

import time
from collections.abc import Callable, Iterator
from typing import Any

import gradio as gr

from ....domain.errors import LongTermMemoryError
from ....memory.runtime import Runtime
from ....text.locales import Words
from . import status
from .actions import ActionField, button_html
from .frame import InputValues, Selection, TabHeader, Updates
from .model_card import RETRY, WORK_WITHOUT, ModelStage, ModelView, model_card_html, model_view
from .other_panels import OtherPanels

_UNDO = "with_model"
_POLL_S, _PATIENCE_S = 0.5, 120.0


class ModelCardPanel:
    def __init__(self, frame: TabHeader) -> None:
        self._frame = frame
        self._runtime = frame.hooks.runtime
        self._actions = ActionField("ltm-model-action")
        self._kind_before = gr.State("")
        self._card = gr.HTML(elem_id="ltm-model-card")
        self.outputs = [self._card]

    def wire(
        self, refresh: Callable[[InputValues, gr.Request], Updates], outputs: list[Any]
    ) -> None:
        """Connects the buttons; `refresh` updates all panels."""
        done = self._actions.wire(
            self._act, self._frame.inputs(self._kind_before), [self._kind_before, self._card]
        )
        others = OtherPanels(refresh, outputs, self.outputs)
        done.then(others.update, self._frame.inputs(), others.parts)

    def show(self, view: Selection) -> Updates:
        return [self._html(model_view(self._runtime), view.words)]

    def _html(self, view: ModelView, words: Words) -> str:
        is_shared = self._frame.hooks.host.is_multi_user()
        return model_card_html(view, words, field_id="" if is_shared else self._actions.elem_id)

    def _act(self, given: InputValues, request: gr.Request) -> Iterator[Updates]:
        words, action = (
            self._frame.read_selection(given, request).words,
            self._actions.read(given),
        )
        before = given[self._kind_before]
        if action is None or self._frame.hooks.host.is_multi_user():
            return
        if action.name == RETRY:
            for view in retry(self._runtime):
                yield [before, self._html(view, words)]
        elif action.name == WORK_WITHOUT:
            kind = self._runtime.settings.embedder.kind
            yield [kind, self._switch("none", words)]
        elif action.name == _UNDO and before:
            yield ["", self._switch(before, words)]

    def _switch(self, kind: str, words: Words) -> str:
        try:
            self._runtime.save_settings({"embedder.kind": kind})
        except LongTermMemoryError as exc:
            return status.paragraph(words("failed", reason=exc))
        if self._runtime.memory.embedder is not None:
            return self._html(model_view(self._runtime), words)
        undo = button_html(self._actions.elem_id, _UNDO, words["undo_setting"])
        text = status.escaped(words["model_left"])
        return f'<p class="ltm-card ltm-row" role="status">{text} {undo}</p>'


def retry(runtime: Runtime) -> Iterator[ModelView]:
    """Tries to load the model again and yields its states until that has ended."""
    runtime.model_loader.retry("embedder")
    until = time.monotonic() + _PATIENCE_S
    view = model_view(runtime)
    is_started = False
    while time.monotonic() < until and not (is_started and view.stage is not ModelStage.LOADING):
        is_started = is_started or view.stage is not ModelStage.FAILED or not view.next_try_s
        yield view
        time.sleep(_POLL_S)
        view = model_view(runtime)
    yield view
