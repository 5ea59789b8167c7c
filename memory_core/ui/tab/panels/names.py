"""The panel of names and notes: who is called what, who is the same, and what is simply known."""

from collections.abc import Callable
from typing import Any

import gradio as gr

from ....domain.errors import LongTermMemoryError
from ....domain.namespaces import Namespace
from ..common import status, visible_namespaces
from ..common.frame import Frame, Given, Updates, View
from . import names_actions


class NamesPanel:
    """On a shared page there are notes only, everybody's own."""

    def __init__(self, frame: Frame) -> None:
        self._frame = frame
        self._build_notes()
        self._elsewhere = gr.HTML()
        with gr.Column(visible=not frame.hooks.host.is_multi_user()):
            self._build_names()
        self._told = gr.HTML(elem_id="ltm-names-told")
        self.outputs = [self._help, self._text, self._reach, self._elsewhere, self._moved]
        self.outputs += [self._name, self._other, self._question, self._sure]
        self.outputs += [self._aliases, self._alias]

    def _build_notes(self) -> None:
        put = self._frame.labels.put
        self._help = gr.HTML()
        text = gr.Textbox(lines=2, elem_id="ltm-note-text")
        self._text = put(text, "label", "note_text")
        self._reach = put(gr.Radio(elem_id="ltm-note-reach"), "label", "note_reach")
        self._keep = put(gr.Button(size="sm", elem_id="ltm-note"), "value", "note_run")

    def _build_names(self) -> None:
        put = self._frame.labels.put
        self._moved = gr.HTML(elem_id="ltm-moved")
        name = gr.Textbox(max_lines=1, elem_id="ltm-rename-name")
        self._name = put(name, "label", "rename_label")
        self._rename = put(gr.Button(size="sm", elem_id="ltm-rename"), "value", "rename_run")
        self._other = put(gr.Dropdown(elem_id="ltm-merge-other"), "label", "merge_other")
        self._ask = put(gr.Button(size="sm", elem_id="ltm-merge"), "value", "merge_ask")
        self._question = gr.HTML(elem_id="ltm-merge-question")
        sure = gr.Button(variant="stop", size="sm", visible=False, elem_id="ltm-merge-sure")
        self._sure = put(sure, "value", "merge_sure")
        self._aliases = gr.HTML(elem_id="ltm-aliases")
        self._alias = put(gr.Dropdown(elem_id="ltm-alias"), "label", "alias_which")
        drop = gr.Button(size="sm", elem_id="ltm-alias-drop")
        self._drop = put(drop, "value", "alias_drop")

    def wire(self, refresh: Callable[[Given, gr.Request], Updates], outputs: list[Any]) -> None:
        """`refresh` shows everything anew: names are everywhere."""
        inputs = self._frame.inputs
        given = inputs(self._other)
        asked = [self._question, self._sure]
        self._ask.click(self._asked, given, asked)
        # What was confirmed of another one is not confirmed of this one.
        self._other.input(lambda: ["", gr.update(visible=False)], None, asked)
        for click, act, used in (
            (self._keep.click, self._kept, inputs(self._text, self._reach)),
            (self._rename.click, self._renamed, inputs(self._name)),
            (self._sure.click, self._merged, given),
            (self._drop.click, self._dropped, inputs(self._alias)),
        ):
            click(act, used, self._told).then(refresh, inputs(), outputs)

    def show(self, view: View) -> Updates:
        """What was told last stays."""
        hooks, words = self._frame.hooks, view.words
        reaches = [(words[f"note_{it}"], it.value) for it in names_actions.reaches(hooks)]
        notes = [
            status.line(words["note_help"]),
            "",
            gr.update(choices=reaches, value=names_actions.Reach.THIS.value),
        ]
        if hooks.host.is_multi_user():
            return [*notes, status.line(words["names_elsewhere"]), *[gr.skip()] * 7]
        return [*notes, "", *self._show_names(view)]

    def _show_names(self, view: View) -> Updates:
        hooks, words = self._frame.hooks, view.words
        found = names_actions.others(hooks.runtime.memory.namespaces(), view.namespace)
        new = names_actions.new_name(hooks, view.namespace)
        same = self._called(found, view.namespace, new)
        told = names_actions.aliases(hooks, words)
        listed = words("aliases_title", names="; ".join(told.values()))
        return [
            status.line(self._hint(view, new, same)),
            "" if same else new,
            gr.update(
                choices=[
                    (visible_namespaces.label(it, words), visible_namespaces.key(it))
                    for it in found
                ],
                value=visible_namespaces.key(same) if same else None,
            ),
            "",
            gr.update(visible=False),
            status.line(listed if told else words["aliases_none"]),
            gr.update(choices=[(text, key) for key, text in told.items()], value=None),
        ]

    @staticmethod
    def _called(found: list[Namespace], namespace: Namespace | None, name: str) -> Namespace | None:
        """Whoever has memories under the name that the host gave this one."""
        if namespace is None or not name:
            return None
        wanted = Namespace(namespace.user, name)
        return wanted if wanted in found else None

    @staticmethod
    def _hint(view: View, new: str, same: Namespace | None) -> str:
        if view.namespace is None or not new:
            return ""
        key = "moved_merge" if same else "moved_rename"
        return view.words(key, old=view.namespace.character, new=new)

    def _asked(self, given: Given, request: gr.Request) -> Updates:
        view = self._frame.view(given, request)
        other = self._chosen(given, request)
        if view.namespace is None or other is None:
            return [status.line(view.words["merge_nobody"]), gr.update(visible=False)]
        try:
            told = names_actions.question(self._frame.hooks, view.namespace, other, view.words)
        except LongTermMemoryError as exc:
            told = view.words("failed", reason=exc)
        return [status.line(told), gr.update(visible=True)]

    def _chosen(self, given: Given, request: gr.Request) -> Namespace | None:
        view = self._frame.view(given, request)
        found = names_actions.others(self._frame.spaces(request), view.namespace)
        return visible_namespaces.chosen(found, given[self._other])

    def _kept(self, given: Given, request: gr.Request) -> str:
        view, hooks = self._frame.view(given, request), self._frame.hooks
        text, reach = str(given[self._text] or ""), str(given[self._reach])
        return self._done(
            view, lambda: names_actions.keep_note(hooks, view.namespace, text, reach, view.words)
        )

    def _renamed(self, given: Given, request: gr.Request) -> str:
        view, hooks = self._frame.view(given, request), self._frame.hooks
        name = str(given[self._name] or "")
        return self._changed(
            view, lambda: names_actions.renamed(hooks, view.namespace, name, view.words)
        )

    def _merged(self, given: Given, request: gr.Request) -> str:
        view, hooks = self._frame.view(given, request), self._frame.hooks
        one, other = view.namespace, self._chosen(given, request)
        if one is None or other is None:
            return status.line(view.words["merge_nobody"])
        return self._changed(view, lambda: names_actions.merged(hooks, one, other, view.words))

    def _dropped(self, given: Given, request: gr.Request) -> str:
        view, hooks = self._frame.view(given, request), self._frame.hooks
        return self._changed(
            view, lambda: names_actions.dropped(hooks, given[self._alias], view.words)
        )

    def _changed(self, view: View, act: Callable[[], str]) -> str:
        """Whatever the page sends: where several people share it, names are nobody's to change."""
        if self._frame.hooks.host.is_multi_user():
            return status.line(view.words["names_elsewhere"])
        return self._done(view, act)

    @staticmethod
    def _done(view: View, act: Callable[[], str]) -> str:
        try:
            return status.line(act())
        except LongTermMemoryError as exc:
            return status.line(view.words("failed", reason=exc))
