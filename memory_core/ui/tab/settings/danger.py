"""The panel that deletes all memories of a character, or reloads them if that has an effect."""

import gradio as gr

from ....config.schema import Visible
from ....domain.errors import LongTermMemoryError
from ....text.problem_text import failure_text
from ..common import visible_namespaces
from ..common.header import InputValues, Panel, Refresh, Selection, TabHeader, Updates
from ..common.markup import paragraph


def is_confirmed(typed: str, name: str) -> bool:
    return bool(name) and typed == name


class DangerPanel(Panel):
    def __init__(self, header: TabHeader) -> None:
        self._header = header
        put = header.labels.bind
        with gr.Column(visible=False) as self._reload_part:
            self._reload_help = gr.HTML()
            self._reload = header.button("reload", "ltm-reload")
        self._help = gr.HTML(elem_id="ltm-destroy-help")
        name = gr.Textbox(max_lines=1, elem_id="ltm-destroy-name")
        self._name = put(name, "label", "destroy_name")
        self._delete_button = header.button("destroy", "ltm-destroy", variant="stop")
        self._message = gr.HTML(elem_id="ltm-destroyed")
        self.outputs = [self._reload_part, self._reload_help, self._help, self._name, self._message]

    def wire(self, refresh: Refresh) -> None:
        self._header.on(self._reload.click, self._reload_now, self._message)
        clicked, outputs = self._delete_button.click, [self._message, self._name]
        refresh.after(self._header.on(clicked, self._delete_now, outputs, self._name))

    def show(self, view: Selection) -> Updates:
        """Updates the panel; the message about the last deletion stays."""
        text = view.words("destroy_help", name=self._name_to_type(view))
        typed = gr.skip() if view.is_refresh else ""
        visible = self._header.runtime.settings.recall.visible
        return [
            gr.update(visible=visible is Visible.NEXT_SESSION),
            paragraph(view.words["reload_help"]),
            paragraph(text),
            typed,
            gr.skip(),
        ]

    def _reload_now(self, view: Selection, given: InputValues) -> str:
        if view.namespace is None:
            return paragraph(view.words["nobody"])
        self._header.runtime.memory.force_reload(view.namespace)
        return paragraph(view.words["reloaded"])

    def _delete_now(self, view: Selection, given: InputValues) -> Updates:
        """Deletes the memories if confirmed, and empties the field of the confirmation."""
        return [paragraph(self._delete_if_confirmed(view, given[self._name])), ""]

    def _delete_if_confirmed(self, view: Selection, typed: str) -> str:
        name = self._name_to_type(view)
        if view.namespace is None or not is_confirmed(typed, name):
            return view.words("not_confirmed", name=name)
        try:
            saved = self._header.administration.destroy(view.namespace)
        except LongTermMemoryError as exc:
            return failure_text(exc, view.words)
        return view.words("destroyed", path=saved)

    @staticmethod
    def _name_to_type(view: Selection) -> str:
        return (
            visible_namespaces.character_label(view.namespace, view.words) if view.namespace else ""
        )
