"""The panel that exports memories as a file and restores a zip."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import gradio as gr

from ....admin.exporters.restore import RestoreMode, bring_back
from ....domain.errors import LongTermMemoryError
from ....domain.namespaces import Namespace
from ....text.locales import Words, tab_words
from ..common import status
from ..common.downloads import Downloads
from ..common.frame import InputValues, Selection, TabHeader, Updates
from . import export_actions


class ExportPanel:
    """Exports and restores; on a shared page everybody exports their own and nobody restores."""

    def __init__(self, frame: TabHeader) -> None:
        self._frame = frame
        put = frame.labels.bind
        self._help = gr.HTML()
        with gr.Row():
            self._format = put(
                gr.Radio(scale=3, elem_id="ltm-export-format"), "label", "export_format"
            )
            box = gr.Checkbox(scale=1, elem_id="ltm-export-all")
            self._all_box = put(box, "label", "export_all")
            button = gr.Button(size="sm", elem_id="ltm-export", scale=1)
            self._make = put(button, "value", "export_run")
            link = gr.DownloadButton(size="sm", visible=False, elem_id="ltm-export-file", scale=1)
            self._file = put(link, "label", "export_download")
        self._export_message = gr.HTML(elem_id="ltm-exported")
        self._downloads = Downloads(Path(self._file.GRADIO_CACHE))
        self._downloads.find_leftovers()
        frame.hooks.runtime.add_tick_duty(self._downloads.delete_old)
        frame.hooks.runtime.add_closing_duty(lambda: self._downloads.delete_old(kept_s=0.0))
        self._build_restore()
        self.outputs = [self._help, self._format, self._file, self._restore_help, self._mode]

    def _build_restore(self) -> None:
        put = self._frame.labels.bind
        mine = not self._frame.hooks.host.is_multi_user()
        self._restore_help = gr.HTML(elem_id="ltm-restore-help")
        with gr.Column(visible=mine):
            upload = gr.File(file_types=[".zip"], type="filepath", elem_id="ltm-restore-file")
            self._upload = put(upload, "label", "restore_file")
            self._upload_contents = gr.HTML(elem_id="ltm-restore-holds")
            self._mode = put(gr.Radio(elem_id="ltm-restore-mode"), "label", "restore_mode")
            box = gr.Checkbox(elem_id="ltm-restore-confirm")
            self._confirm = put(box, "label", "restore_confirm")
            button = gr.Button(variant="stop", size="sm", elem_id="ltm-restore")
            self._restore = put(button, "value", "restore_run")
            self._restore_message = gr.HTML(elem_id="ltm-restored")

    def wire(
        self, refresh: Callable[[InputValues, gr.Request], Updates], outputs: list[Any]
    ) -> None:
        """Connects the buttons; `refresh` updates all panels after a restore."""
        given = self._frame.inputs(self._format, self._all_box)
        self._make.click(self._export_now, given, [self._file, self._export_message])
        looked = self._frame.inputs(self._upload)
        self._upload.change(self._describe_upload, looked, [self._upload_contents, self._confirm])
        given = self._frame.inputs(self._upload, self._mode, self._confirm)
        done = self._restore.click(self._restore_now, given, [self._restore_message, self._confirm])
        done.then(refresh, self._frame.inputs(), outputs)

    def show(self, view: Selection) -> Updates:
        """Updates the panel and hides the last download, which may be of another namespace."""
        words = view.words
        formats = [(words[f"export_{form}"], form) for form in export_actions.FORMATS]
        modes = [(words[f"restore_{mode}"], mode.value) for mode in RestoreMode]
        is_shared = self._frame.hooks.host.is_multi_user()
        message = words["restore_elsewhere" if is_shared else "restore_help"]
        return [
            status.paragraph(words["export_help"]),
            gr.update(choices=formats, value=export_actions.ZIP),
            gr.update(visible=False, value=None),
            status.paragraph(message),
            gr.update(choices=modes, value=RestoreMode.REFUSE.value),
        ]

    def _export_now(self, given: InputValues, request: gr.Request) -> Updates:
        view = self._frame.read_selection(given, request)
        nothing = gr.update(visible=False, value=None)
        if view.namespace is None or given[self._format] not in export_actions.FORMATS:
            return [nothing, status.paragraph(view.words["nobody"])]
        try:
            spaces = (
                self._frame.visible_namespaces(request)
                if given[self._all_box]
                else [view.namespace]
            )
            path, message = self._export_file(spaces, given[self._format], view.words)
        except LongTermMemoryError as exc:
            return [nothing, status.paragraph(view.words("failed", reason=exc))]
        return [gr.update(visible=True, value=str(path)), message]

    def _export_file(
        self, spaces: Sequence[Namespace], form: str, words: Words
    ) -> tuple[Path, str]:
        memory = self._frame.hooks.runtime.memory
        if len(spaces) == 1:
            return export_actions.export_one(memory, spaces[0], form, self._downloads, words)
        return export_actions.export_many(memory, spaces, form, self._downloads, words)

    def _describe_upload(self, given: InputValues) -> Updates:
        """Describes an uploaded file and clears the confirmation of an earlier one."""
        words = tab_words(given[self._frame.language])
        path = given[self._upload]
        if not path or self._frame.hooks.host.is_multi_user():
            return ["", False]
        self._downloads.register_upload(Path(path))
        try:
            return [export_actions.backup_contents_text(Path(path), words), False]
        except LongTermMemoryError as exc:
            return [status.paragraph(words("failed", reason=exc)), False]

    def _restore_now(self, given: InputValues) -> Updates:
        words = tab_words(given[self._frame.language])
        path = given[self._upload]
        if self._frame.hooks.host.is_multi_user():
            return [status.paragraph(words["restore_elsewhere"]), False]
        if not path or not given[self._confirm]:
            return [status.paragraph(words["restore_unconfirmed"]), False]
        try:
            done = bring_back(self._frame.hooks, Path(path), RestoreMode(given[self._mode]))
        except LongTermMemoryError as exc:
            return [status.paragraph(words("failed", reason=exc)), False]
        return [export_actions.restored_html(done, words), False]
