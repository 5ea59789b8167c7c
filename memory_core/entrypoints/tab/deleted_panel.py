"""What is still remembered of chats that were deleted, and one click that forgets it."""

from collections.abc import Callable
from typing import Any

import gradio as gr

from ...errors import LongTermMemoryError
from . import status
from .frame import Frame, Given, Updates, View


class DeletedPanel:
    """The first click asks, the second one forgets."""

    def __init__(self, frame: Frame) -> None:
        self._frame = frame
        put = frame.labels.put
        self._left = gr.HTML(elem_id="ltm-deleted-chats")
        ask = gr.Button(size="sm", visible=False, elem_id="ltm-forget-deleted")
        self._ask = put(ask, "value", "forget_deleted")
        sure = gr.Button(variant="stop", size="sm", visible=False, elem_id="ltm-forget-sure")
        self._sure = put(sure, "value", "forget_deleted_sure")
        self._told = gr.HTML(elem_id="ltm-deleted-forgotten")
        self.outputs = [self._left, self._ask, self._sure, self._told]

    def wire(self, refresh: Callable[[Given, gr.Request], Updates], outputs: list[Any]) -> None:
        """`refresh` shows everything anew after something was forgotten."""
        self._ask.click(lambda: gr.update(visible=True), None, self._sure)
        done = self._sure.click(self._forgotten, self._frame.inputs(), self._told)
        done.then(refresh, self._frame.inputs(), outputs)

    def show(self, view: View) -> Updates:
        """What was told of the last time stays."""
        left = view.namespace and self._frame.hooks.settler.left_of_deleted(view.namespace)
        if not left or not left.memories:
            text = view.words["nothing_deleted"]
            return [
                status.line(text),
                gr.update(visible=False),
                gr.update(visible=False),
                gr.skip(),
            ]
        text = view.words["left_of_deleted"].format(chats=left.chats, memories=left.memories)
        return [status.line(text), gr.update(visible=True), gr.update(visible=False), gr.skip()]

    def _forgotten(self, given: Given, request: gr.Request) -> str:
        view = self._frame.view(given, request)
        if view.namespace is None:
            return status.line(view.words["nobody"])
        try:
            count = self._frame.hooks.forget_deleted(view.namespace)
        except LongTermMemoryError as exc:
            return status.line(view.words["failed"].format(reason=exc))
        minutes = round(self._frame.hooks.runtime.settings.ltm_writes.undo_forget_s / 60)
        told = view.words["did_forget_deleted"].format(count=count, minutes=minutes)
        return status.line(told)
