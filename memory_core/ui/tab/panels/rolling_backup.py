"""The head's offer to restore a backup that lies outside the extension's folder."""

from collections.abc import Callable
from typing import Any

import gradio as gr

from ....admin.administration import Administration
from ....domain.errors import LongTermMemoryError
from ....text.locales import Words, tab_words
from ..common import status
from ..common.frame import Frame, Given, Updates, View
from . import rolling_backup_actions


class CopiesPanel:
    """Takes no room while there is nothing to restore."""

    def __init__(self, frame: Frame) -> None:
        self._frame = frame
        put = frame.labels.put
        self._offer = gr.HTML(elem_id="ltm-copies-offer")
        with gr.Row():
            restore = gr.Button(size="sm", visible=False, elem_id="ltm-copies-restore")
            self._restore = put(restore, "value", "copies_restore")
            leave = gr.Button(size="sm", visible=False, elem_id="ltm-copies-leave")
            self._leave = put(leave, "value", "copies_leave")
        self._told = gr.HTML(elem_id="ltm-copies-told")
        self.outputs = [self._offer, self._restore, self._leave]

    def wire(self, refresh: Callable[[Given, gr.Request], Updates], outputs: list[Any]) -> None:
        """`refresh` shows everything anew after something was restored."""
        given = self._frame.inputs()
        for button, act in ((self._restore, self._restored), (self._leave, self._left)):
            done = button.click(act, given, self._told)
            done.then(refresh, given, outputs)

    def show(self, view: View) -> Updates:
        """What was told last stays."""
        live = self._frame.administration
        try:
            told = rolling_backup_actions.offer(live, view.words)
            can_leave = bool(told) and rolling_backup_actions.can_leave(live)
        except LongTermMemoryError:
            told, can_leave = [], False  # Health tells it
        html = "".join(map(status.line, told))
        return [html, gr.update(visible=bool(told)), gr.update(visible=can_leave)]

    def _restored(self, given: Given) -> str:
        return self._done(rolling_backup_actions.restored, given)

    def _left(self, given: Given) -> str:
        return self._done(rolling_backup_actions.left, given)

    def _done(self, act: Callable[[Administration, Words], str], given: Given) -> str:
        words = tab_words(given[self._frame.language])
        try:
            return act(self._frame.administration, words)
        except LongTermMemoryError as exc:
            return status.line(words("failed", reason=exc))
