"""The panel that brings the host's past chats into memory: look, import, watch, cancel."""

import time
from collections.abc import Callable, Iterator
from typing import Any

import gradio as gr

from ....admin.importers import host_chats
from ....admin.importers.job import ImportJob
from ....domain.errors import LongTermMemoryError
from ....text.locales import Words, tab_words
from ..common import status
from ..common.frame import Frame, Given, Updates, View
from . import import_messages

_SHOWN_EVERY_S = 0.5


class ImportPanel:
    """What it began goes on when the page is closed; whoever opens it again sees how far it is."""

    def __init__(self, frame: Frame) -> None:
        self._frame = frame
        put = frame.labels.put
        self._help = gr.HTML()
        with gr.Row():
            button = gr.Button(variant="primary", size="sm", elem_id="ltm-import")
            self._run = put(button, "value", "import_run")
            self._look = put(
                gr.Button(size="sm", elem_id="ltm-import-look"), "value", "import_look"
            )
            cancel = gr.Button(size="sm", elem_id="ltm-import-cancel")
            self._cancel = put(cancel, "value", "import_cancel")
        self._told = gr.HTML(elem_id="ltm-import-told")
        self.outputs = [self._help, self._told]

    def wire(self, refresh: Callable[[Given, gr.Request], Updates], outputs: list[Any]) -> None:
        """`refresh` shows everything anew once there is more to be seen."""
        given = self._frame.inputs()
        self._look.click(self._looked, given, self._told, show_progress="hidden")
        done = self._run.click(self._imported, given, self._told, show_progress="hidden")
        done.then(refresh, given, outputs, show_progress="hidden")
        self._cancel.click(self._cancelled, given, self._told, show_progress="hidden")

    def show(self, view: View) -> Updates:
        now = import_messages.told(self._job.status, view.words)
        return [status.line(view.words["import_help"]), now]

    @property
    def _job(self) -> ImportJob:
        return self._frame.administration.import_job

    def _looked(self, given: Given) -> Iterator[str]:
        yield from self._watched(tab_words(given[self._frame.language]), only_look=True)

    def _imported(self, given: Given) -> Iterator[str]:
        yield from self._watched(tab_words(given[self._frame.language]), only_look=False)

    def _cancelled(self, given: Given) -> str:
        words = tab_words(given[self._frame.language])
        if not self._job.status.is_running:
            return import_messages.told(self._job.status, words)
        self._job.cancel()
        return status.line(words["import_cancelling"])

    def _watched(self, words: Words, *, only_look: bool) -> Iterator[str]:
        """Begins, or joins those who watch what runs already."""
        if self._frame.hooks.host.is_multi_user():
            yield status.line(words["import_elsewhere"])
            return
        try:
            if not self._job.status.is_running and not self._begun(only_look):
                yield status.line(words["import_busy"])
                return
        except LongTermMemoryError as exc:
            yield status.line(words("failed", reason=exc))
            return
        while self._job.status.is_running:
            yield import_messages.told(self._job.status, words)
            time.sleep(_SHOWN_EVERY_S)
        yield import_messages.told(self._job.status, words)

    def _begun(self, only_look: bool) -> bool:
        hooks = self._frame.hooks
        listens = hooks.runtime.settings.commands.enabled
        source = host_chats.own_chats(hooks.host, listens=listens)
        return host_chats.begin(hooks.runtime, self._job, source, only_look=only_look)
