"""The command `doctor`: checks and repairs the files of a storage folder."""

import argparse
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from ... import bootstrap
from ...admin.automatic_backups import copies_folder
from ...admin.backup.rolling import RollingBackup
from ...admin.database_check import examine_database, repair_database
from ...admin.doctor.findings import Finding, FindingCode
from ...admin.doctor.run import DoctorOptions, DoctorReport, examine, repair
from ...config.schema import Settings
from ...config.store_settings import StoreBackend
from ...domain.errors import StorageError
from ...infra.command_lines import as_argument
from ...storage.shared import IN_DATABASE
from . import common
from .common import Commands, Terminal, add_command, counted

_EXIT_FAULTS = 1
_MAX_SHOWN = 200  # --json prints all


def add_doctor_command(commands: Commands) -> None:
    about = "Check every file of the storage folder."
    description = f"{about} Exit code 0: no faults; 1: faults remain."
    parser = add_command(commands, "doctor", about, run, description=description)
    parser.add_argument(
        "--repair",
        action="store_true",
        help="Repair the files. Damaged lines move from a log into a *.damaged file beside it.",
    )


def run(args: argparse.Namespace, terminal: Terminal) -> int:
    settings = common.load_settings()
    root = common.storage_folder(args, settings)
    limits = bootstrap.build_limits(settings)
    options = DoctorOptions(
        open_store=bootstrap.STORE, undo_s=limits.undo_forget_s, clock=time.time
    )
    report = _examine_all(args, settings, root, options)
    report = replace(report, findings=[*report.findings, *_restorable_copies(root, settings)])
    place = str(root) if settings.store.backend is StoreBackend.LOCAL else IN_DATABASE
    terminal.show(
        {"storage": str(root), **report_fields(report)}, "\n".join(_report_lines(report, place))
    )
    return 0 if report.is_sound else _EXIT_FAULTS


def _examine_all(
    args: argparse.Namespace, settings: Settings, root: Path, options: DoctorOptions
) -> DoctorReport:
    if settings.store.backend is not StoreBackend.LOCAL:
        with common.open_memory(args) as memory:
            return (repair_database if args.repair else examine_database)(memory, options)
    if not root.is_dir():
        return DoctorReport()  # nothing was remembered yet
    return (repair if args.repair else examine)(root, options)


def _restorable_copies(root: Path, settings: Settings) -> Iterator[Finding]:
    """Yields a note on a backup that may be worth restoring, which only a person can decide."""
    folder = copies_folder(common.installation(), settings)
    try:
        found = RollingBackup(root, folder, settings.rolling_backup).find_offer()
    except StorageError as exc:
        yield _note(
            folder or root, f"the automatic backups cannot be read: {exc}", "check the disk"
        )
        return
    if found is not None:
        path = found.copy.path
        exchanges, notes = counted(found.exchanges, "exchange"), counted(found.notes, "note")
        problem = f"this is a backup of {exchanges} and {notes}"
        command = f"python -m memory_core restore --merge {as_argument(path)}"
        yield _note(path, problem, f"to restore them: {command}")


def _note(path: Path, problem: str, advice: str) -> Finding:
    found = Finding(code=FindingCode.BACKUP, namespace="", path=str(path), problem=problem)
    return found.unrepairable(advice).as_note()


def report_fields(report: DoctorReport) -> dict[str, Any]:
    return {
        "sound": report.is_sound,
        "namespaces": report.namespaces,
        "lines": report.lines,
        "findings": [_fields(finding) for finding in report.findings],
        "repaired": [_fields(finding) for finding in report.repaired],
    }


def _fields(found: Finding) -> dict[str, Any]:
    return {
        "kind": found.kind.value,
        "namespace": found.namespace,
        "file": found.path,
        "byte": found.byte_offset,
        "what": found.problem,
        "advice": found.advice,
    }


def _report_lines(report: DoctorReport, place: str) -> Iterator[str]:
    for title, findings in (("repaired", report.repaired), ("", report.findings)):
        for found in findings[:_MAX_SHOWN]:
            yield f"{title or found.kind.value}: {_location(found)}: {found.problem}" + (
                "" if title else f" ({found.advice})"
            )
        if len(findings) > _MAX_SHOWN:
            yield f"… and {len(findings) - _MAX_SHOWN:,} more"
    faults = sum(finding.is_fault for finding in report.findings)
    verdict = counted(faults, "fault") if faults else "all is sound"
    if report.namespaces:
        of = counted(report.namespaces, "character")
        yield f"{counted(report.lines, 'line')} of {of} checked: {verdict}"
    else:
        yield f"there are no memories in {place}" + (f": {verdict}" if faults else "")


def _location(found: Finding) -> str:
    who = f"{found.namespace}, " if found.namespace else ""
    return f"{who}{found.path}" + (
        "" if found.byte_offset is None else f", byte {found.byte_offset:,}"
    )
