"""The card on a model that is not ready, in the header, with its actions."""

import time
from collections.abc import Iterator

import gradio as gr

from ....memory.runtime import Runtime
from ....text.locales import Words
from .actions import ActionField, button_html
from .header import InputValues, Panel, Refresh, Selection, TabHeader, Updates
from .markup import escaped
from .model_card import (
    RETRY,
    WORK_WITHOUT,
    ModelStage,
    ModelView,
    model_card_html,
    model_view,
)

_UNDO = "with_model"
_ENDED = "model_ended"  # sent by page.js once the bar is gone
_UNDO_S = 120.0
_POLL_S, _TIMEOUT_S = 0.5, 120.0


class ModelCardPanel(Panel):
    def __init__(self, header: TabHeader) -> None:
        self._header = header
        self._runtime = header.runtime
        self._actions = ActionField("ltm-model-action")
        self._polled = ActionField("ltm-model-poll")
        self._left = ""  # the kind of the model that was switched off
        self._undo_until = 0.0  # in monotonic seconds
        self._card = gr.HTML(elem_id="ltm-model-card")
        self.outputs = [self._card]

    def wire(self, refresh: Refresh) -> None:
        refresh.after(self._actions.wire(self._header, self._act, [self._card]))
        self._polled.wire(self._header, self._poll, [self._card])

    def show(self, view: Selection) -> Updates:
        """Updates the card. For a while after switching the model off, it offers Undo."""
        return [self._html(view.words)]

    def _html(self, words: Words) -> str:
        found = model_view(self._runtime)
        if found.stage is ModelStage.NONE and time.monotonic() < self._undo_until:
            undo = button_html(self._actions.elem_id, _UNDO, words["undo_setting"])
            text = escaped(words["model_left"])
            return f'<p class="ltm-card ltm-row" role="status">{text} {undo}</p>'
        is_shared = self._header.is_shared
        return model_card_html(found, words, field_id="" if is_shared else self._actions.elem_id)

    def _poll(self, view: Selection, given: InputValues) -> str:
        return self._html(view.words)

    def _act(self, view: Selection, given: InputValues) -> Iterator[str]:
        words = view.words
        action = self._actions.read(given)
        if action is None or self._header.is_shared:
            return
        if action.name == RETRY:
            for _ in retry(self._runtime):
                yield self._html(words)
        elif action.name == WORK_WITHOUT:
            self._left = self._runtime.settings.embedder.kind
            yield self._switch("none", words, undo_s=_UNDO_S)
        elif action.name == _ENDED:
            yield self._html(words)
        elif action.name == _UNDO and self._left:
            kind, self._left = self._left, ""
            yield self._switch(kind, words, undo_s=0.0)

    def _switch(self, kind: str, words: Words, *, undo_s: float) -> str:
        self._runtime.save_settings({"embedder.kind": kind})
        self._runtime.model_loader.cancel_old("embedder", self._runtime.memory.embedder)
        self._undo_until = time.monotonic() + undo_s
        return self._html(words)


def retry(runtime: Runtime) -> Iterator[ModelView]:
    """Tries to load the model again, and yields its states until the attempt ends."""
    runtime.model_loader.retry("embedder")
    until = time.monotonic() + _TIMEOUT_S
    view = model_view(runtime)
    is_started = False
    while time.monotonic() < until and not (is_started and view.stage is not ModelStage.LOADING):
        is_started = is_started or view.stage is not ModelStage.FAILED or not view.next_try_s
        yield view
        time.sleep(_POLL_S)
        view = model_view(runtime)
    yield view
