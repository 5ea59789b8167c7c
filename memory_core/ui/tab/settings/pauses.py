"""The panel that pauses and resumes writing and recall, in the open chat or in all."""

from contextlib import suppress

import gradio as gr

from ....domain.errors import LongTermMemoryError
from ....domain.namespaces import NAMED_SCOPES, encode
from ....storage.pauses import PauseState
from ..common.header import InputValues, Panel, Refresh, Selection, TabHeader, Updates
from ..common.markup import paragraph
from ..common.status import is_never_remembered, pause_of_chat
from ..common.wording import chat_name


class PausesPanel(Panel):
    def __init__(self, header: TabHeader) -> None:
        self._header = header
        put = header.labels.bind
        self._chat = gr.HTML(elem_id="ltm-paused-chat")
        self._writing = put(gr.Checkbox(elem_id="ltm-pause-writing"), "label", "pause_writing")
        self._recall = put(gr.Checkbox(elem_id="ltm-pause-recall"), "label", "pause_recall")
        self._never = put(gr.Checkbox(elem_id="ltm-never-remember"), "label", "never_remember")
        self._help = gr.HTML()
        self._resume = header.button("resume_all", "ltm-resume-all")
        self._message = gr.HTML(elem_id="ltm-switched")
        boxes = [self._writing, self._recall, self._never]
        self.outputs = [self._chat, *boxes, self._help, self._resume, self._message]

    def wire(self, refresh: Refresh) -> None:
        on, outputs = self._header.on, self._message
        for changed in (self._writing.input, self._recall.input):
            refresh.after(on(changed, self._set_pause, outputs, self._writing, self._recall))
        refresh.after(on(self._never.input, self._mark_never_remembered, outputs, self._never))
        refresh.after(on(self._resume.click, self._resume_all, outputs))

    def show(self, view: Selection) -> Updates:
        """Updates the panel; the last message stays."""
        words, chat = view.words, view.conversation
        if chat:
            text = words("which_chat", chat=chat_name(encode(chat), words))
        else:
            text = words["open_incognito" if view.is_incognito else "no_chat_open"]
        pause = pause_of_chat(self._header.runtime, view)
        boxes = [
            gr.update(value=value, interactive=bool(chat))
            for value in (pause.is_writing_paused, pause.is_recall_paused)
        ]
        may_mark = view.chosen is not None and view.chosen.scope in NAMED_SCOPES
        marked = is_never_remembered(self._header.runtime, view.chosen)
        never = gr.update(value=marked, interactive=may_mark)
        return [
            paragraph(text),
            *boxes,
            never,
            paragraph(words["pause_help"]),
            gr.update(visible=self._is_any_paused(view)),
            gr.skip(),
        ]

    def _is_any_paused(self, view: Selection) -> bool:
        with suppress(LongTermMemoryError):  # the head reports it
            return bool(view.chosen and self._header.runtime.pauses.paused_chats(view.chosen))
        return True

    def _mark_never_remembered(self, view: Selection, given: InputValues) -> str:
        if view.chosen is None or view.chosen.scope not in NAMED_SCOPES:
            return paragraph(view.words["nobody"])
        done = self._header.hooks.command_executor.set_never_remembered(
            view.chosen, never=bool(given[self._never])
        )
        return paragraph(view.words["switched" if done else "switch_later"])

    def _set_pause(self, view: Selection, given: InputValues) -> str:
        chat = view.conversation
        if view.chosen is None or not chat:
            return paragraph(view.words["no_chat_open"])
        wanted = PauseState(
            is_writing_paused=bool(given[self._writing]), is_recall_paused=bool(given[self._recall])
        )
        return self._apply_pauses(view, {chat: wanted})

    def _resume_all(self, view: Selection, given: InputValues) -> str:
        if view.chosen is None:
            return paragraph(view.words["nobody"])
        paused = self._header.runtime.pauses.paused_chats(view.chosen)
        return self._apply_pauses(view, dict.fromkeys(paused, PauseState()))

    def _apply_pauses(self, view: Selection, wanted: dict[str, PauseState]) -> str:
        if view.chosen is None:
            return paragraph(view.words["nobody"])
        executor = self._header.hooks.command_executor
        done = [executor.set_pause(view.chosen, chat, pause) for chat, pause in wanted.items()]
        return paragraph(view.words["switched" if all(done) else "switch_later"])
