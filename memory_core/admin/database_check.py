"""Checks and repairs the memories of a database: every line of each log, and the index beside it.

The server checks its own files (pg_amcheck). Other programs may write meanwhile.
"""

from collections import deque
from collections.abc import Iterator, Sequence
from itertools import chain
from pathlib import Path

from ..domain.errors import StorageCorrupt, StorageError
from ..domain.namespaces import Namespace
from ..memory.long_term_memory import LongTermMemory
from ..memory.namespace_memory import INDEX
from ..storage.aliases import ALIASES, read_aliases
from ..storage.log.event_log import EventLog
from .backup.writer import log_files
from .doctor import index_check, repairs
from .doctor.file_check import check_namespace
from .doctor.findings import Finding, FindingCode
from .doctor.log_check import LogSummary, NamespaceLogCheck
from .doctor.run import DoctorOptions, DoctorReport, below, unrepaired
from .late_writes import late_written, move_late_writes

_ATTEMPTS = 3
_LINES_ADVICE = "restore what is missing from a backup: restore --merge"
_BUSY = "other programs write here without a pause: the index was not checked"
_LATE = "its memories have another name now; these were written during the change"
_BROKEN_LINES = (FindingCode.TORN_LINE, FindingCode.DAMAGED_LINE)


def examine_database(memory: LongTermMemory, options: DoctorOptions) -> DoctorReport:
    """Checks all namespaces; only writes events that an index lacks. Raises StorageFailed."""
    report = DoctorReport()
    report.findings += _alias_findings(memory)
    for namespace in late_written(memory):
        report.findings.append(_finding(FindingCode.LATE_WRITES, namespace.label, "", _LATE))
    for namespace in memory.namespaces():
        check = _TableCheck(memory, namespace, options)
        report.namespaces += 1
        report.findings += check.examine()
        report.lines += check.summary.lines
    return report


def repair_database(memory: LongTermMemory, options: DoctorOptions) -> DoctorReport:
    """Checks all namespaces, repairs what can be repaired, and checks again.

    Raises StorageFailed.
    """
    before = examine_database(memory, options)
    move_late_writes(memory)
    failed: list[Finding] = []
    for namespace in memory.namespaces():
        try:
            _TableCheck(memory, namespace, options).repair()
        except StorageError as exc:
            problem = f"it could not be repaired: {exc}"
            failed.append(_finding(FindingCode.NOT_REPAIRED, namespace.label, "", problem))
    return unrepaired(before, examine_database(memory, options), failed)


class _TableCheck:
    """Examines or repairs one namespace. `summary` is that of the last reading of its logs."""

    def __init__(
        self, memory: LongTermMemory, namespace: Namespace, options: DoctorOptions
    ) -> None:
        self._memory = memory
        self._namespace = namespace
        self._options = options
        self.summary = LogSummary()

    def examine(self) -> Iterator[Finding]:
        with log_files(self._memory, [self._namespace]) as root:
            found = chain(check_namespace(self._namespace, root), self._check_logs(root))
            yield from map(_without_repair_of_lines, below(root, found))
        yield from self._index_findings()

    def repair(self) -> None:
        """Erases memories that are due, and rebuilds a wrong index. Raises StorageError."""
        with log_files(self._memory, [self._namespace]) as root:
            deque(self._check_logs(root), maxlen=0)
            due = self.summary.due_for_erasure
        with self._memory.open_namespace(self._namespace) as opened:
            if due:
                repairs.erase_due(opened, due)
            if any(found.is_fault for found in self._index_findings()):
                opened.rebuild()

    def _check_logs(self, root: Path) -> Iterator[Finding]:
        log, now = EventLog(self._namespace.folder(root)), self._options.clock()
        label, undo_s = self._namespace.label, self._options.undo_s
        check = NamespaceLogCheck(log, label, undo_s=undo_s, now=now)
        self.summary = check.summary
        return check.run(is_ours=True)

    def _index_findings(self) -> Iterator[Finding]:
        """Yields the differences between index and logs, if nothing was written meanwhile."""
        for _ in range(_ATTEMPTS):
            differences, is_settled = self._compare()
            if is_settled:
                for problem in differences:
                    yield self._finding(FindingCode.INDEX_DIFFERS, problem)
                return
        busy = self._finding(FindingCode.IN_USE, _BUSY)
        yield busy.unrepairable("run this again when less is written").as_note()

    def _compare(self) -> tuple[Sequence[str], bool]:
        """Returns the differences, and whether nothing was written during the comparison."""
        with (
            log_files(self._memory, [self._namespace]) as root,
            self._memory.open_namespace(self._namespace) as opened,
        ):
            log = EventLog(self._namespace.folder(root))
            sizes = log.logs()
            opened.sync_index()
            found = index_check.compare_with_log(opened.store, log, sizes)
            return found, not found or opened.event_log.logs() == sizes

    def _finding(self, code: FindingCode, problem: str) -> Finding:
        return _finding(code, self._namespace.label, INDEX, problem)


def _alias_findings(memory: LongTermMemory) -> Iterator[Finding]:
    try:
        read_aliases(memory.root, memory.shared.files)
    except StorageCorrupt as exc:
        found = _finding(FindingCode.ALIASES_UNREADABLE, "", ALIASES, str(exc))
        yield found.unrepairable("restore the table documents from a dump")


def _finding(code: FindingCode, label: str, path: str, problem: str) -> Finding:
    return Finding(code=code, namespace=label, path=path, problem=problem, detail=problem)


def _without_repair_of_lines(found: Finding) -> Finding:
    return found.unrepairable(_LINES_ADVICE) if found.code in _BROKEN_LINES else found
