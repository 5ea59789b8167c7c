"""The panel that checks the files, and repairs them after asking."""

from collections.abc import Callable, Iterator
from typing import Any

import gradio as gr

from ....admin.doctor.run import DoctorReport
from ....domain.errors import LongTermMemoryError
from ....memory.runtime import Runtime
from ....text.problem_text import failure_text
from ..common import status
from ..common.actions import ActionField
from ..common.frame import InputValues, Panel, Refresh, Selection, TabHeader, Updates
from . import doctor_report

_CHECK, _ASK, _REPAIR, _LEAVE = "check_files", "ask_repair", "repair_files", "leave_files"


class DoctorPanel(Panel):
    def __init__(self, frame: TabHeader) -> None:
        self._frame = frame
        self._actions = ActionField("ltm-doctor-action")
        self._head = gr.HTML(elem_id="ltm-doctor")
        self._report = gr.HTML(elem_id="ltm-doctor-report")
        self.outputs: list[Any] = [self._head, self._report]

    def wire(self, refresh: Refresh) -> None:
        self._actions.wire(self._act, self._frame.inputs(), [self._report])

    def show(self, view: Selection) -> Updates:
        """Shows the panel without a report; on a shared page the check is not offered."""
        words = view.words
        report = gr.skip() if view.is_refresh else ""
        if self._frame.hooks.host.is_multi_user():
            return [status.paragraph(words["doctor_elsewhere"]), report]
        button = self._actions.button(_CHECK, words["doctor_check"])
        return [f"{status.paragraph(words['doctor_help'])}<p>{button}</p>", report]

    def _act(self, given: InputValues, request: gr.Request) -> Iterator[str]:
        view, action = self._frame.read_selection(given, request), self._actions.read(given)
        if action is None or self._frame.hooks.host.is_multi_user():
            return
        if action.name in (_CHECK, _LEAVE):
            yield status.paragraph(view.words["doctor_checking"])
            yield self._outcome(view, doctor_report.check_files)
        elif action.name == _ASK:
            yield self._question(view)
        elif action.name == _REPAIR:
            yield status.paragraph(view.words["doctor_repairing"])
            yield self._outcome(view, doctor_report.repair_files)

    def _question(self, view: Selection) -> str:
        words, button = view.words, self._actions.button
        buttons = button(_REPAIR, words["doctor_repair_sure"]) + button(_LEAVE, words["doctor_no"])
        text = status.paragraph(words["doctor_question"])
        return f'<div class="ltm-card">{text}<p class="ltm-row">{buttons}</p></div>'

    def _outcome(self, view: Selection, work: Callable[[Runtime], DoctorReport]) -> str:
        try:
            report = work(self._frame.hooks.runtime)
        except LongTermMemoryError as exc:
            return status.paragraph(failure_text(exc, view.words))
        html = doctor_report.report_html(report, view.words)
        if doctor_report.repairable(report):
            html += f"<p>{self._actions.button(_ASK, view.words['doctor_repair'])}</p>"
        return html
