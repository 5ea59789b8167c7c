"""Examines a whole storage folder, namespace by namespace, and repairs it on request.

Without repair() no file is created and no log is written. An existing index is opened as in any
program, which brings it up to date.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from ...domain.errors import StorageError, StorageLocked
from ...domain.namespaces import Namespace
from ...infra import durable_files
from ...memory.namespace_memory import INDEX, NamespaceMemory
from ...storage.engine import OpenStore, files_of, refuse_in_database
from ...storage.log.event_log import LOCK, EventLog
from . import index_check
from . import repair as mending
from .file_check import check_namespace, check_storage, own_namespaces
from .findings import Finding, FindingCode, FindingKind, FindingListener
from .log_check import ForgottenTimes, LogSummary, NamespaceLogCheck

_REBUILT_ADVICE = "it was just rebuilt from the logs"


@dataclass(frozen=True, slots=True, kw_only=True)
class DoctorOptions:
    """The store to open, and the undo time in seconds after which forgotten words are erased."""

    open_store: OpenStore
    undo_s: float
    clock: Callable[[], float]


@dataclass(slots=True)
class DoctorReport:
    """The result of a run: `findings` are open problems, `repaired` are solved ones."""

    namespaces: int = 0
    lines: int = 0
    findings: list[Finding] = field(default_factory=list)
    repaired: list[Finding] = field(default_factory=list)

    @property
    def is_sound(self) -> bool:
        return not any(finding.is_fault for finding in self.findings)


def examine(root: Path, options: DoctorOptions) -> DoctorReport:
    """Checks all files below `root`. Raises StorageFailed if the folder cannot be read."""
    refuse_in_database(root, "the check of the files")
    report = DoctorReport()
    on_finding = collect_into(root, report.findings)
    with durable_files.naming_errors(root):
        check_storage(root, on_finding)
    for space in own_namespaces(root):
        report.namespaces += 1
        report.lines += _NamespaceCheck(space, root, options).examine(on_finding).lines
    return report


def repair(root: Path, options: DoctorOptions) -> DoctorReport:
    """Examines `root`, repairs the faults that it can, and examines it again.

    Leaves namespaces alone that another program writes to. Raises StorageError.
    """
    before = examine(root, options)
    with durable_files.naming_errors(root):
        mending.repair_storage(root)
    failed_repairs: list[Finding] = []
    for space in own_namespaces(root):
        _NamespaceCheck(space, root, options).repair(collect_into(root, failed_repairs))
    return unrepaired(before, examine(root, options), failed_repairs)


def unrepaired(
    before: DoctorReport, after: DoctorReport, failed_repairs: Sequence[Finding]
) -> DoctorReport:
    """Returns the second report; findings that only the first one has count as repaired."""
    after.findings += failed_repairs
    left = {_finding_key(finding) for finding in after.findings}
    after.repaired = [
        finding
        for finding in before.findings
        if finding.is_fault and _finding_key(finding) not in left
    ]
    return after


def _finding_key(found: Finding) -> tuple[str, str, str, int | None]:
    return found.namespace, found.path, found.problem, found.byte_offset


def collect_into(root: Path, findings: list[Finding]) -> FindingListener:
    """Returns a listener that adds findings with their paths below `root`."""

    def on_finding(found: Finding) -> None:
        path = Path(found.path)
        name = path.relative_to(root).as_posix() if path.is_relative_to(root) else found.path
        findings.append(replace(found, path=name))

    return on_finding


class _NamespaceCheck:
    """Examines or repairs one namespace."""

    def __init__(self, space: Namespace, root: Path, options: DoctorOptions) -> None:
        self._namespace = space
        self._root = root
        self._options = options
        self._folder = space.folder(root)

    def examine(self, on_finding: FindingListener) -> LogSummary:
        with durable_files.naming_errors(self._folder):
            check_namespace(self._namespace, self._root, on_finding)
        event_log = EventLog(self._folder)
        try:
            is_ours = self._is_unlocked(event_log, on_finding)
            seen = self._check_logs(event_log, on_finding, is_ours=is_ours)
        finally:
            event_log.close()
        if is_ours and durable_files.exists(self._folder / INDEX):
            self._compare_store(on_finding)
        return seen

    def _is_unlocked(self, event_log: EventLog, on_finding: FindingListener) -> bool:
        """Returns True if no other program can write here; reports it otherwise."""
        try:
            self._acquire_existing_lock(event_log)
        except StorageLocked:
            problem = "another program writes here: the index was not checked"
            advice = "close that program and run this again"
            found = self._finding(FindingCode.IN_USE, "", problem)
            on_finding(replace(found, advice=advice, can_repair=False, kind=FindingKind.NOTE))
            return False
        except StorageError as exc:
            on_finding(
                self._disk_fault(FindingCode.NOT_WRITABLE, f"it cannot be written: {exc}", exc)
            )
            return False
        return True

    def _acquire_existing_lock(self, event_log: EventLog) -> None:
        """Takes the lock unless that would make its file: without one, no program writes here."""
        if durable_files.exists(self._folder / LOCK):
            event_log.acquire_lock()

    def _check_logs(
        self, event_log: EventLog, on_finding: FindingListener, *, is_ours: bool
    ) -> LogSummary:
        forgotten = ForgottenTimes(undo_s=self._options.undo_s, now=self._options.clock())
        check = NamespaceLogCheck(
            event_log, event_log.logs(), forgotten, label=self._namespace.label
        )
        try:
            check.run(on_finding, is_ours=is_ours)
        except StorageError as exc:
            on_finding(self._disk_fault(FindingCode.NOT_READABLE, str(exc), exc))
        return check.summary

    def _compare_store(self, on_finding: FindingListener) -> None:
        try:
            opened = NamespaceMemory(self._folder, open_store=self._options.open_store)
        except StorageError as exc:
            found = self._finding(
                FindingCode.INDEX_NOT_OPENED, INDEX, f"it cannot be opened: {exc}"
            )
            on_finding(replace(found, detail=str(exc)))
            return
        try:
            self._acquire_existing_lock(files_of(opened.event_log))
            for problem in self._store_differences(opened):
                found = self._finding(FindingCode.INDEX_DIFFERS, INDEX, problem)
                on_finding(replace(found, detail=problem))
        except StorageLocked:
            return  # another program starts just now
        finally:
            opened.close()
        for problem in opened.problems.all():
            if "damaged line" not in problem:
                found = self._finding(FindingCode.INDEX_REBUILT, INDEX, problem)
                on_finding(replace(found, detail=problem, advice=_REBUILT_ADVICE, can_repair=False))

    def _store_differences(self, opened: NamespaceMemory) -> Iterator[str]:
        opened.sync_index()
        event_log = files_of(opened.event_log)
        yield from index_check.compare_with_log(opened.store, event_log, event_log.logs())

    def repair(self, on_finding: FindingListener) -> None:
        opened: NamespaceMemory | None = None
        try:
            opened = mending.open_or_rebuild(self._folder, self._options.open_store)
            files_of(opened.event_log).acquire_lock()
            with durable_files.naming_errors(self._folder):
                mending.repair_files(self._namespace, self._folder)
            opened = self._repair(opened)
        except StorageLocked:
            return  # examine() reports it
        except StorageError as exc:
            problem = f"it could not be repaired: {exc}"
            on_finding(self._disk_fault(FindingCode.NOT_REPAIRED, problem, exc))
        finally:
            if opened is not None:
                opened.close()

    def _repair(self, opened: NamespaceMemory) -> NamespaceMemory:
        seen = self._check_logs(files_of(opened.event_log), _ignore_finding, is_ours=True)
        if mending.repair_logs(opened, seen):
            seen = self._check_logs(files_of(opened.event_log), _ignore_finding, is_ours=True)
        if seen.due_for_erasure:
            mending.erase_due(opened, seen.due_for_erasure)
        if list(self._store_differences(opened)):
            return mending.rebuild_store(opened, self._folder, self._options.open_store)
        return opened

    def _finding(self, code: FindingCode, part: str, problem: str) -> Finding:
        path = str(self._folder / part)
        return Finding(code=code, namespace=self._namespace.label, path=path, problem=problem)

    def _disk_fault(self, code: FindingCode, problem: str, exc: Exception) -> Finding:
        found = self._finding(code, "", problem)
        return replace(found, detail=str(exc), advice="check the disk", can_repair=False)


def _ignore_finding(_: Finding) -> None:
    return
