"""Examines a whole storage folder, namespace by namespace, and repairs it on request.

Without repair() no file is created and no log is written. An existing index is opened as in any
program, which brings it up to date.
"""

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from ...domain.errors import StorageError, StorageLocked
from ...domain.namespaces import Namespace
from ...infra import durable_files
from ...memory.namespace_memory import INDEX, NamespaceMemory
from ...storage.engine import OpenStore, files_of, refuse_in_database
from ...storage.log.event_log import LOCK, EventLog
from . import index_check, repairs
from .file_check import check_namespace, check_storage, own_namespaces
from .findings import Finding, FindingCode
from .log_check import LogSummary, NamespaceLogCheck

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
    with durable_files.naming_errors(root):
        report.findings += below(root, check_storage(root))
    for space in own_namespaces(root):
        check = _NamespaceCheck(space, root, options)
        report.findings += below(root, check.examine())
        report.namespaces += 1
        report.lines += check.summary.lines
    return report


def repair(root: Path, options: DoctorOptions) -> DoctorReport:
    """Examines `root`, repairs the faults that it can, and examines it again.

    Leaves namespaces alone that another program writes to. Raises StorageError.
    """
    before = examine(root, options)
    with durable_files.naming_errors(root):
        repairs.repair_storage(root)
    failed_repairs: list[Finding] = []
    for space in own_namespaces(root):
        failed_repairs += below(root, _NamespaceCheck(space, root, options).repair())
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


def below(root: Path, findings: Iterable[Finding]) -> Iterator[Finding]:
    """Yields the findings with their paths below `root`."""
    for found in findings:
        path = Path(found.path)
        is_below = path.is_relative_to(root)
        yield replace(found, path=path.relative_to(root).as_posix()) if is_below else found


class _NamespaceCheck:
    """Examines or repairs one namespace. `summary` is that of the last reading of its logs."""

    def __init__(self, space: Namespace, root: Path, options: DoctorOptions) -> None:
        self._namespace = space
        self._root = root
        self._options = options
        self._folder = space.folder(root)
        self.summary = LogSummary()

    def examine(self) -> Iterator[Finding]:
        with durable_files.naming_errors(self._folder):
            yield from check_namespace(self._namespace, self._root)
        event_log = EventLog(self._folder)
        try:
            busy = self._lock_finding(event_log)
            yield from filter(None, [busy])
            yield from self._check_logs(event_log, is_ours=busy is None)
        finally:
            event_log.close()
        if busy is None and durable_files.exists(self._folder / INDEX):
            yield from self._compare_store()

    def _lock_finding(self, event_log: EventLog) -> Finding | None:
        """Returns why another program may write here; None if none can."""
        try:
            self._acquire_existing_lock(event_log)
        except StorageLocked:
            problem = "another program writes here: the index was not checked"
            found = self._finding(FindingCode.IN_USE, "", problem)
            return found.unrepairable("close that program and run this again").as_note()
        except StorageError as exc:
            problem = f"it cannot be written: {exc}"
            return self._disk_fault(FindingCode.NOT_WRITABLE, problem, exc)
        return None

    def _acquire_existing_lock(self, event_log: EventLog) -> None:
        """Takes the lock unless that would make its file: without one, no program writes here."""
        if durable_files.exists(self._folder / LOCK):
            event_log.acquire_lock()

    def _check_logs(self, event_log: EventLog, *, is_ours: bool) -> Iterator[Finding]:
        undo_s, now = self._options.undo_s, self._options.clock()
        check = NamespaceLogCheck(event_log, self._namespace.label, undo_s=undo_s, now=now)
        self.summary = check.summary
        try:
            yield from check.run(is_ours=is_ours)
        except StorageError as exc:
            yield self._disk_fault(FindingCode.NOT_READABLE, str(exc), exc)

    def _read_logs(self, event_log: EventLog) -> LogSummary:
        """Returns what a check of all logs finds out about their lines."""
        deque(self._check_logs(event_log, is_ours=True), maxlen=0)
        return self.summary

    def _compare_store(self) -> Iterator[Finding]:
        try:
            opened = NamespaceMemory(self._folder, open_store=self._options.open_store)
        except StorageError as exc:
            problem = f"it cannot be opened: {exc}"
            yield self._finding(FindingCode.INDEX_NOT_OPENED, INDEX, problem, detail=str(exc))
            return
        try:
            self._acquire_existing_lock(files_of(opened.event_log))
            for problem in self._store_differences(opened):
                yield self._finding(FindingCode.INDEX_DIFFERS, INDEX, problem, detail=problem)
        except StorageLocked:
            return  # another program starts just now
        finally:
            opened.close()
        for problem in opened.problems.all():
            if "damaged line" not in problem:
                found = self._finding(FindingCode.INDEX_REBUILT, INDEX, problem, detail=problem)
                yield found.unrepairable(_REBUILT_ADVICE)

    def _store_differences(self, opened: NamespaceMemory) -> Iterator[str]:
        opened.sync_index()
        event_log = files_of(opened.event_log)
        yield from index_check.compare_with_log(opened.store, event_log, event_log.logs())

    def repair(self) -> Iterator[Finding]:
        """Repairs the namespace; yields why it could not be repaired."""
        opened: NamespaceMemory | None = None
        try:
            opened = repairs.open_or_rebuild(self._folder, self._options.open_store)
            files_of(opened.event_log).acquire_lock()
            with durable_files.naming_errors(self._folder):
                repairs.repair_files(self._namespace, self._folder)
            opened = self._repair(opened)
        except StorageLocked:
            return  # examine() reports it
        except StorageError as exc:
            problem = f"it could not be repaired: {exc}"
            yield self._disk_fault(FindingCode.NOT_REPAIRED, problem, exc)
        finally:
            if opened is not None:
                opened.close()

    def _repair(self, opened: NamespaceMemory) -> NamespaceMemory:
        seen = self._read_logs(files_of(opened.event_log))
        if repairs.repair_logs(opened, seen):
            seen = self._read_logs(files_of(opened.event_log))
        if seen.due_for_erasure:
            repairs.erase_due(opened, seen.due_for_erasure)
        if list(self._store_differences(opened)):
            return repairs.rebuild_store(opened, self._folder, self._options.open_store)
        return opened

    def _finding(self, code: FindingCode, part: str, problem: str, *, detail: str = "") -> Finding:
        path, label = str(self._folder / part), self._namespace.label
        return Finding(code=code, namespace=label, path=path, problem=problem, detail=detail)

    def _disk_fault(self, code: FindingCode, problem: str, exc: Exception) -> Finding:
        return self._finding(code, "", problem, detail=str(exc)).unrepairable("check the disk")
