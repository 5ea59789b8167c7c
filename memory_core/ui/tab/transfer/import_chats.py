"""The panel that imports the host's past chats: preview, import, progress, cancel."""

import time
from collections.abc import Callable, Iterator
from typing import Any

import gradio as gr

from ....admin.importers import host_chats
from ....admin.importers.job import ImportJob
from ....domain.errors import LongTermMemoryError
from ....text.locales import Words, tab_words
from ..common import status
from ..common.frame import InputValues, Selection, TabHeader, Updates
from . import import_messages

_REFRESH_INTERVAL_S = 0.5


class ImportPanel:
    """Imports past chats. A running import survives the page, which shows it when reopened."""

    def __init__(self, frame: TabHeader) -> None:
        self._frame = frame
        put = frame.labels.bind
        self._help = gr.HTML()
        with gr.Row():
            button = gr.Button(variant="primary", size="sm", elem_id="ltm-import")
            self._run = put(button, "value", "import_run")
            self._survey_button = put(
                gr.Button(size="sm", elem_id="ltm-import-look"), "value", "import_look"
            )
            cancel = gr.Button(size="sm", elem_id="ltm-import-cancel")
            self._cancel = put(cancel, "value", "import_cancel")
        self._message = gr.HTML(elem_id="ltm-import-told")
        self.outputs = [self._help, self._message]

    def wire(
        self, refresh: Callable[[InputValues, gr.Request], Updates], outputs: list[Any]
    ) -> None:
        """Connects the buttons; `refresh` updates all panels after an import."""
        given = self._frame.inputs()
        self._survey_button.click(self._survey_now, given, self._message, show_progress="hidden")
        done = self._run.click(self._import_now, given, self._message, show_progress="hidden")
        done.then(refresh, given, outputs, show_progress="hidden")
        self._cancel.click(self._cancel_now, given, self._message, show_progress="hidden")

    def show(self, view: Selection) -> Updates:
        now = import_messages.status_html(self._job.status, view.words)
        return [status.paragraph(view.words["import_help"]), now]

    @property
    def _job(self) -> ImportJob:
        return self._frame.administration.import_job

    def _survey_now(self, given: InputValues) -> Iterator[str]:
        yield from self._follow_progress(tab_words(given[self._frame.language]), survey_only=True)

    def _import_now(self, given: InputValues) -> Iterator[str]:
        yield from self._follow_progress(tab_words(given[self._frame.language]), survey_only=False)

    def _cancel_now(self, given: InputValues) -> str:
        words = tab_words(given[self._frame.language])
        if not self._job.status.is_running:
            return import_messages.status_html(self._job.status, words)
        self._job.cancel()
        return status.paragraph(words["import_cancelling"])

    def _follow_progress(self, words: Words, *, survey_only: bool) -> Iterator[str]:
        """Starts a job, or follows the running one, and yields its progress as HTML."""
        if self._frame.hooks.host.is_multi_user():
            yield status.paragraph(words["import_elsewhere"])
            return
        try:
            if not self._job.status.is_running and not self._begin_import(survey_only):
                yield status.paragraph(words["import_busy"])
                return
        except LongTermMemoryError as exc:
            yield status.paragraph(words("failed", reason=exc))
            return
        while self._job.status.is_running:
            yield import_messages.status_html(self._job.status, words)
            time.sleep(_REFRESH_INTERVAL_S)
        yield import_messages.status_html(self._job.status, words)

    def _begin_import(self, survey_only: bool) -> bool:
        hooks = self._frame.hooks
        listens = hooks.runtime.settings.commands.enabled
        source = host_chats.host_chats_source(hooks.host, listens=listens)
        return host_chats.begin_import(hooks.runtime, self._job, source, survey_only=survey_only)
