"""Checks and repairs the files of a running program, with the outcome in words."""

import time
from collections.abc import Callable, Sequence
from html import escape
from pathlib import Path

from .... import bootstrap
from ....admin.database_check import examine_database, repair_database
from ....admin.doctor.findings import Finding
from ....admin.doctor.run import DoctorOptions, DoctorReport, examine, repair
from ....memory.long_term_memory import LongTermMemory
from ....memory.runtime import Runtime
from ....text.locales import Words
from ..common.status import escaped, paragraph

_SHOWN = 100


def check_files(runtime: Runtime) -> DoctorReport:
    """Checks all files; recall and writing wait meanwhile. Raises StorageError."""
    return _run(runtime, examine, examine_database)


def repair_files(runtime: Runtime) -> DoctorReport:
    """Repairs what can be repaired; recall and writing wait meanwhile. Raises StorageError."""
    return _run(runtime, repair, repair_database)


def _run(
    runtime: Runtime,
    work: Callable[[Path, DoctorOptions], DoctorReport],
    work_in_database: Callable[[LongTermMemory, DoctorOptions], DoctorReport],
) -> DoctorReport:
    memory = runtime.memory
    undo_s = bootstrap.build_limits(runtime.settings).undo_forget_s
    options = DoctorOptions(open_store=bootstrap.STORE, undo_s=undo_s, clock=time.time)
    if not memory.shared.is_in_files:
        return work_in_database(memory, options)
    if not memory.root.is_dir():
        return DoctorReport()
    with memory.closed(memory.namespaces()):
        return work(memory.root, options)


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
    return (
        f'<details class="ltm-findings"><summary>{escape(words["doctor_details"])}</summary>'
        f"<ul>{items}</ul>{rest}</details>"
    )


def _item_html(found: Finding, words: Words) -> str:
    where = " · ".join(filter(None, (found.namespace, found.path)))
    problem = words(f"doctor_problem_{found.code}", detail=found.detail)
    advice = words.get(f"doctor_advice_{found.code}", found.advice)
    advice = words["doctor_can_repair"] if found.can_repair else advice
    texts = f"{escaped(problem)} <span>({escaped(advice)})</span>"
    return f'<li>{texts}<br><code class="ltm-muted">{escaped(where)}</code></li>'
