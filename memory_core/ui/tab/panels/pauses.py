"""The panel of pauses: of the chat talked in last, and of all chats in which anything is paused."""

from collections.abc import Callable
from contextlib import suppress
from typing import Any

import gradio as gr

from ....domain.errors import LongTermMemoryError
from ....domain.namespaces import Namespace, Scope
from ....host.hooks import Hooks
from ....storage.pauses import Switch
from ....text.locales import Words
from ..common import status
from ..common.frame import Frame, Given, Updates, View
from ..common.visible_namespaces import last_chat

_CHATTED_WITH = (Scope.CHARACTER, Scope.INSTRUCT)


def paused_words(hooks: Hooks, namespace: Namespace | None, words: Words) -> str:
    """What is paused in the chat talked in last and how many others are; empty: nothing is."""
    if namespace is None:
        return ""
    try:
        paused = hooks.runtime.switches.paused(namespace)
        never = hooks.runtime.switches.is_never_remembered(namespace)
    except LongTermMemoryError as exc:
        return words("failed", reason=exc)
    here = paused.pop(last_chat(hooks, namespace), Switch())
    parts = [words["paused_character"]] if never else []
    parts += [words["paused_writing"]] if here.writing else []
    parts += [words["paused_recall"]] if here.recall else []
    parts += [words("paused_others", count=len(paused))] if paused else []
    return ", ".join(parts)


class SwitchesPanel:
    def __init__(self, frame: Frame) -> None:
        self._frame = frame
        put = frame.labels.put
        self._chat = gr.HTML(elem_id="ltm-paused-chat")
        writing = gr.Checkbox(elem_id="ltm-pause-writing")
        self._writing = put(writing, "label", "pause_writing")
        recall = gr.Checkbox(elem_id="ltm-pause-recall")
        self._recall = put(recall, "label", "pause_recall")
        never = gr.Checkbox(elem_id="ltm-never-remember")
        self._never = put(never, "label", "never_remember")
        self._help = gr.HTML()
        resume = gr.Button(size="sm", elem_id="ltm-resume-all")
        self._resume = put(resume, "value", "resume_all")
        self._told = gr.HTML(elem_id="ltm-switched")
        boxes = [self._writing, self._recall, self._never]
        self.outputs = [self._chat, *boxes, self._help, self._told]

    def wire(self, refresh: Callable[[Given, gr.Request], Updates], outputs: list[Any]) -> None:
        """`refresh` shows everything anew, the head too."""
        given = self._frame.inputs(self._writing, self._recall)
        for changed in (self._writing.input, self._recall.input):
            changed(self._switched, given, self._told).then(refresh, self._frame.inputs(), outputs)
        marked = self._never.input(self._marked, self._frame.inputs(self._never), self._told)
        marked.then(refresh, self._frame.inputs(), outputs)
        done = self._resume.click(self._resumed, self._frame.inputs(), self._told)
        done.then(refresh, self._frame.inputs(), outputs)

    def show(self, view: View) -> Updates:
        """What was told last stays."""
        hooks, words = self._frame.hooks, view.words
        chat = last_chat(hooks, view.namespace)
        text = words("last_chat", chat=chat) if chat else words["no_last_chat"]
        switch = self._switch_of(view.namespace, chat)
        boxes = [
            gr.update(value=value, interactive=bool(chat))
            for value in (switch.writing, switch.recall)
        ]
        may_mark = view.namespace is not None and view.namespace.scope in _CHATTED_WITH
        never = gr.update(value=self._is_never(view.namespace), interactive=may_mark)
        return [status.line(text), *boxes, never, status.line(words["pause_help"]), gr.skip()]

    def _switch_of(self, namespace: Namespace | None, chat: str) -> Switch:
        try:
            if namespace is not None and chat:
                return self._frame.hooks.runtime.switches.of(namespace, chat)
        except LongTermMemoryError:
            pass  # the head tells it
        return Switch()

    def _is_never(self, namespace: Namespace | None) -> bool:
        with suppress(LongTermMemoryError):  # the head tells it
            switches = self._frame.hooks.runtime.switches
            return namespace is not None and switches.is_never_remembered(namespace)
        return False

    def _marked(self, given: Given, request: gr.Request) -> str:
        view = self._frame.view(given, request)
        if view.namespace is None or view.namespace.scope not in _CHATTED_WITH:
            return status.line(view.words["nobody"])
        done = self._frame.hooks.orders.mark(view.namespace, never=bool(given[self._never]))
        return status.line(view.words["switched" if done else "switch_later"])

    def _switched(self, given: Given, request: gr.Request) -> str:
        view = self._frame.view(given, request)
        chat = last_chat(self._frame.hooks, view.namespace)
        if view.namespace is None or not chat:
            return status.line(view.words["no_last_chat"])
        wanted = Switch(writing=bool(given[self._writing]), recall=bool(given[self._recall]))
        return self._turn(view, {chat: wanted})

    def _resumed(self, given: Given, request: gr.Request) -> str:
        view = self._frame.view(given, request)
        if view.namespace is None:
            return status.line(view.words["nobody"])
        try:
            paused = self._frame.hooks.runtime.switches.paused(view.namespace)
        except LongTermMemoryError as exc:
            return status.line(view.words("failed", reason=exc))
        return self._turn(view, dict.fromkeys(paused, Switch()))

    def _turn(self, view: View, wanted: dict[str, Switch]) -> str:
        if view.namespace is None:
            return status.line(view.words["nobody"])
        orders = self._frame.hooks.orders
        done = [orders.switch(view.namespace, chat, it) for chat, it in wanted.items()]
        return status.line(view.words["switched" if all(done) else "switch_later"])
