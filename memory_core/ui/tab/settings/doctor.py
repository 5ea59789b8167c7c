"""The panel that checks the files, and repairs them after asking."""

import time
from collections.abc import Iterator, Sequence
from typing import Any

import gradio as gr

from .... import bootstrap
from ....admin.database_check import examine_database, repair_database
from ....admin.doctor.findings import Finding
from ....admin.doctor.run import DoctorOptions, DoctorReport, examine, repair
from ....memory.runtime import Runtime
from ....text.locales import Words
from ..common.actions import ActionField
from ..common.header import InputValues, Panel, Refresh, Selection, TabHeader, Updates
from ..common.markup import escaped, folded, paragraph

_SHOWN = 100


def run_doctor(runtime: Runtime, *, repairs: bool) -> DoctorReport:
    """Checks all files, or repairs them; recall and writing wait meanwhile. Raises StorageError."""
    memory = runtime.memory
    undo_s = bootstrap.build_limits(runtime.settings).undo_forget_s
    options = DoctorOptions(open_store=bootstrap.STORE, undo_s=undo_s, clock=time.time)
    if not memory.shared.is_in_files:
        return (repair_database if repairs else examine_database)(memory, options)
    if not memory.root.is_dir():
        return DoctorReport()
    with memory.closed(memory.namespaces()):
        return (repair if repairs else examine)(memory.root, options)


def repairable(report: DoctorReport) -> int:
    """Returns the number of faults that can be repaired."""
    return sum(found.is_fault and found.can_repair for found in report.findings)


def report_html(report: DoctorReport, words: Words) -> str:
    """Returns the outcome: a sentence, and the findings in a folded list."""
    faults = sum(found.is_fault for found in report.findings)
    lines = []
    if report.repaired:
        lines.append(words("doctor_repaired", count=len(report.repaired)))
    if not report.namespaces:
        lines.append(words["doctor_nothing"])
    elif faults:
        lines.append(words("doctor_faults", count=faults, can=repairable(report)))
    else:
        counts = {"count": report.lines, "characters": report.namespaces}
        lines.append(words("doctor_sound", **counts))
    return "".join(map(paragraph, lines)) + _list_html(report.findings, words)


def _list_html(findings: Sequence[Finding], words: Words) -> str:
    if not findings:
        return ""
    items = "".join(_item_html(found, words) for found in findings[:_SHOWN])
    more = len(findings) - _SHOWN
    rest = paragraph(words("import_more", count=more)) if more > 0 else ""
    return folded(words["doctor_details"], f"<ul>{items}</ul>{rest}", style="ltm-findings")


def _item_html(found: Finding, words: Words) -> str:
    where = " · ".join(filter(None, (found.namespace, found.path)))
    problem = words(f"doctor_problem_{found.code}", detail=found.detail)
    advice = words.get(f"doctor_advice_{found.code}", found.advice)
    advice = words["doctor_can_repair"] if found.can_repair else advice
    texts = f"{escaped(problem)} <span>({escaped(advice)})</span>"
    return f'<li>{texts}<br><code class="ltm-muted">{escaped(where)}</code></li>'


_CHECK, _ASK, _REPAIR, _LEAVE = "check_files", "ask_repair", "repair_files", "leave_files"


class DoctorPanel(Panel):
    def __init__(self, header: TabHeader) -> None:
        self._header = header
        self._actions = ActionField("ltm-doctor-action")
        self._head = gr.HTML(elem_id="ltm-doctor")
        self._report = gr.HTML(elem_id="ltm-doctor-report")
        self.outputs: list[Any] = [self._head, self._report]

    def wire(self, refresh: Refresh) -> None:
        self._actions.wire(self._header, self._act, [self._report])

    def show(self, view: Selection) -> Updates:
        """Shows the panel without a report; on a shared page the check is not offered."""
        words = view.words
        report = gr.skip() if view.is_refresh else ""
        if self._header.is_shared:
            return [paragraph(words["doctor_elsewhere"]), report]
        button = self._actions.button(_CHECK, words["doctor_check"])
        return [f"{paragraph(words['doctor_help'])}<p>{button}</p>", report]

    def _act(self, view: Selection, given: InputValues) -> Iterator[str]:
        action = self._actions.read(given)
        if action is None or self._header.is_shared:
            return
        if action.name in (_CHECK, _LEAVE):
            yield paragraph(view.words["doctor_checking"])
            yield self._outcome(view, repairs=False)
        elif action.name == _ASK:
            yield self._question(view)
        elif action.name == _REPAIR:
            yield paragraph(view.words["doctor_repairing"])
            yield self._outcome(view, repairs=True)

    def _question(self, view: Selection) -> str:
        words, button = view.words, self._actions.button
        buttons = button(_REPAIR, words["doctor_repair_sure"]) + button(_LEAVE, words["doctor_no"])
        text = paragraph(words["doctor_question"])
        return f'<div class="ltm-card">{text}<p class="ltm-row">{buttons}</p></div>'

    def _outcome(self, view: Selection, *, repairs: bool) -> str:
        report = run_doctor(self._header.runtime, repairs=repairs)
        html = report_html(report, view.words)
        if repairable(report):
            html += f"<p>{self._actions.button(_ASK, view.words['doctor_repair'])}</p>"
        return html
