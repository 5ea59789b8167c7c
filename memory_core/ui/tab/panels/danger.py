"""The panel of what cannot be undone by a click, and of the forced reload."""

from collections.abc import Callable
from typing import Any

import gradio as gr

from ....domain.errors import LongTermMemoryError
from ..common import status, visible_namespaces
from ..common.frame import Frame, Given, Updates, View


def confirmed(typed: str, name: str) -> bool:
    return bool(name) and typed == name


class DangerPanel:
    def __init__(self, frame: Frame) -> None:
        self._frame = frame
        put = frame.labels.put
        self._reload_help = gr.HTML()
        self._reload = put(gr.Button(size="sm", elem_id="ltm-reload"), "value", "reload")
        self._help = gr.HTML(elem_id="ltm-destroy-help")
        name = gr.Textbox(max_lines=1, elem_id="ltm-destroy-name")
        self._name = put(name, "label", "destroy_name")
        button = gr.Button(variant="stop", size="sm", elem_id="ltm-destroy")
        self._destroy = put(button, "value", "destroy")
        self._told = gr.HTML(elem_id="ltm-destroyed")
        self.outputs = [self._reload_help, self._help, self._name, self._told]

    def wire(self, refresh: Callable[[Given, gr.Request], Updates], outputs: list[Any]) -> None:
        """`refresh` shows everything anew after a character is gone."""
        self._reload.click(self._reloaded, self._frame.inputs(), self._told)
        given = self._frame.inputs(self._name)
        done = self._destroy.click(self._destroyed, given, self._told)
        done.then(refresh, self._frame.inputs(), outputs)

    def show(self, view: View) -> Updates:
        """What was told of the last deletion stays."""
        text = view.words("destroy_help", name=self._shown_name(view))
        return [status.line(view.words["reload_help"]), status.line(text), "", gr.skip()]

    def _reloaded(self, given: Given, request: gr.Request) -> str:
        view = self._frame.view(given, request)
        if view.namespace is None:
            return status.line(view.words["nobody"])
        self._frame.hooks.runtime.memory.force_reload(view.namespace)
        return status.line(view.words["reloaded"])

    def _destroyed(self, given: Given, request: gr.Request) -> str:
        view = self._frame.view(given, request)
        return status.line(self._destroy_named(view, given[self._name]))

    def _destroy_named(self, view: View, typed: str) -> str:
        name = self._shown_name(view)
        if view.namespace is None or not confirmed(typed, name):
            return view.words("not_confirmed", name=name)
        try:
            saved = self._frame.administration.destroy(view.namespace)
        except LongTermMemoryError as exc:
            return view.words("failed", reason=exc)
        return view.words("destroyed", path=saved)

    @staticmethod
    def _shown_name(view: View) -> str:
        return visible_namespaces.name(view.namespace, view.words) if view.namespace else ""
