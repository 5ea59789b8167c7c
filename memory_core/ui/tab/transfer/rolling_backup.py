"""The offer, at the head of the tab, to restore a backup outside the extension's folder."""

from collections.abc import Callable

import gradio as gr

from ....admin.administration import Administration
from ....domain.errors import LongTermMemoryError
from ....text.locales import Words, tab_words
from ....text.problem_text import failure_text
from ..common import status
from ..common.frame import InputValues, Panel, Refresh, Selection, TabHeader, Updates
from . import rolling_backup_actions


class CopiesPanel(Panel):
    """Offers to restore a backup; hidden while there is none."""

    def __init__(self, frame: TabHeader) -> None:
        self._frame = frame
        put = frame.labels.bind
        self._offer = gr.HTML(elem_id="ltm-copies-offer")
        with gr.Row():
            restore = gr.Button(size="sm", visible=False, elem_id="ltm-copies-restore")
            self._restore = put(restore, "value", "copies_restore")
            leave = gr.Button(size="sm", visible=False, elem_id="ltm-copies-leave")
            self._dismiss = put(leave, "value", "copies_leave")
        self._message = gr.HTML(elem_id="ltm-copies-told")
        self.outputs = [self._offer, self._restore, self._dismiss]

    def wire(self, refresh: Refresh) -> None:
        given = self._frame.inputs()
        for button, act in (
            (self._restore, self._restore_offered),
            (self._dismiss, self._dismiss_offer),
        ):
            done = button.click(act, given, self._message)
            refresh.after(done)

    def show(self, view: Selection) -> Updates:
        """Updates the offer; the last message stays."""
        administration = self._frame.administration
        try:
            texts = rolling_backup_actions.offer_texts(administration, view.words)
            can_leave = bool(texts) and rolling_backup_actions.can_dismiss(administration)
        except LongTermMemoryError:
            texts, can_leave = [], False  # the Health panel reports it
        html = "".join(map(status.paragraph, texts))
        return [html, gr.update(visible=bool(texts)), gr.update(visible=can_leave)]

    def _restore_offered(self, given: InputValues) -> str:
        return self._run_action(rolling_backup_actions.restore_offered, given)

    def _dismiss_offer(self, given: InputValues) -> str:
        return self._run_action(rolling_backup_actions.dismiss_offer, given)

    def _run_action(self, act: Callable[[Administration, Words], str], given: InputValues) -> str:
        words = tab_words(given[self._frame.language])
        try:
            return act(self._frame.administration, words)
        except LongTermMemoryError as exc:
            return status.paragraph(failure_text(exc, words))
