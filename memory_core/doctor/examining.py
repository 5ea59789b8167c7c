"""Examines a whole storage folder, namespace by namespace, and mends it where that is asked for.

Nothing is written into logs without repair(). What is derived is opened as any program opens it,
which brings it up to date.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

from ..archive import INDEX, Archive, OpenStore
from ..errors import StorageError, StorageLocked
from ..manifest import list_namespaces
from ..namespaces import Namespace
from ..transcript.transcript import Transcript
from . import derived, mending
from .files import check_namespace, check_storage
from .findings import Finding, Kind, Tell
from .logs import Forgotten, LogCheck, Seen

_MADE_ANEW = "it was made anew from the logs just now"


@dataclass(frozen=True, slots=True, kw_only=True)
class Terms:
    """By what it is judged which words should be gone: the time to undo, in s, and the clock."""

    open_store: OpenStore
    undo_s: float
    clock: Callable[[], float]


@dataclass(slots=True)
class Report:
    """`findings` is what is wrong now, `repaired` what was before."""

    namespaces: int = 0
    lines: int = 0
    findings: list[Finding] = field(default_factory=list)
    repaired: list[Finding] = field(default_factory=list)

    @property
    def is_sound(self) -> bool:
        return not any(it.is_fault for it in self.findings)


def examine(root: Path, terms: Terms) -> Report:
    """Raises StorageFailed where the folder cannot be read at all."""
    report = Report()
    tell = _telling(root, report.findings)
    check_storage(root, tell)
    for space in list_namespaces(root):
        patient = _Patient(space, root, terms)
        report.namespaces += 1
        report.lines += patient.examine(tell).lines
    return report


def repair(root: Path, terms: Terms) -> Report:
    """Examines, mends what can be mended, and examines again.

    Namespaces that another program writes are left alone. Raises StorageError.
    """
    before = examine(root, terms)
    mending.mend_storage(root)
    told: list[Finding] = []
    for space in list_namespaces(root):
        _Patient(space, root, terms).repair(_telling(root, told))
    after = examine(root, terms)
    after.findings += told
    left = {_key(it) for it in after.findings}
    after.repaired = [it for it in before.findings if it.is_fault and _key(it) not in left]
    return after


def _key(found: Finding) -> tuple[str, str, str, int | None]:
    return found.namespace, found.path, found.what, found.byte


def _telling(root: Path, findings: list[Finding]) -> Tell:
    def tell(found: Finding) -> None:
        path = Path(found.path)
        name = path.relative_to(root).as_posix() if path.is_relative_to(root) else found.path
        findings.append(replace(found, path=name))

    return tell


class _Patient:
    """One namespace."""

    def __init__(self, space: Namespace, root: Path, terms: Terms) -> None:
        self._space = space
        self._root = root
        self._terms = terms
        self._folder = space.folder(root)

    def examine(self, tell: Tell) -> Seen:
        check_namespace(self._space, self._root, tell)
        transcript = Transcript(self._folder)
        try:
            is_ours = self._is_ours(transcript, tell)
            seen = self._read(transcript, tell, is_ours=is_ours)
        finally:
            transcript.close()
        if is_ours:
            self._compare(tell)
        return seen

    def _is_ours(self, transcript: Transcript, tell: Tell) -> bool:
        """Whether nobody else writes here."""
        try:
            transcript.hold()
        except StorageLocked:
            what = "another program writes here: what is derived was not looked at"
            tell(self._note("", what, "end that program and run it again"))
            return False
        except StorageError as exc:
            tell(self._fault("", f"it cannot be written: {exc}", "see to the disk"))
            return False
        return True

    def _read(self, transcript: Transcript, tell: Tell, *, is_ours: bool) -> Seen:
        forgotten = Forgotten(undo_s=self._terms.undo_s, now=self._terms.clock())
        check = LogCheck(transcript, transcript.logs(), forgotten, label=self._space.label)
        try:
            check.run(tell, is_ours=is_ours)
        except StorageError as exc:
            tell(self._fault("", str(exc), "see to the disk"))
        return check.seen

    def _compare(self, tell: Tell) -> None:
        try:
            archive = Archive(self._folder, open_store=self._terms.open_store)
        except StorageError as exc:
            tell(self._fault(INDEX, f"it cannot be opened: {exc}"))
            return
        try:
            archive.transcript.hold()
            for what in self._differences(archive):
                tell(self._fault(INDEX, what))
        except StorageLocked:
            return  # somebody begins just now
        finally:
            archive.close()
        for problem in archive.problems:
            if "damaged line" not in problem:
                tell(self._fault(INDEX, problem, _MADE_ANEW))

    def _differences(self, archive: Archive) -> Iterator[str]:
        archive.catch_up()
        transcript = archive.transcript
        yield from derived.faults(archive.store, transcript, transcript.logs())

    def repair(self, tell: Tell) -> None:
        archive: Archive | None = None
        try:
            archive = mending.open_anew(self._folder, self._terms.open_store)
            archive.transcript.hold()
            mending.mend_files(self._space, self._folder)
            archive = self._mend(archive)
        except StorageLocked:
            return  # examining tells it
        except StorageError as exc:
            tell(self._fault("", f"it could not be mended: {exc}", "see to the disk"))
        finally:
            if archive is not None:
                archive.close()

    def _mend(self, archive: Archive) -> Archive:
        seen = self._read(archive.transcript, _silent, is_ours=True)
        if mending.mend_logs(archive, seen):
            seen = self._read(archive.transcript, _silent, is_ours=True)
        if seen.due:
            mending.erase_due(archive, seen.due)
        if list(self._differences(archive)):
            return mending.mend_store(archive, self._folder, self._terms.open_store)
        return archive

    def _fault(self, part: str, what: str, advice: str = "") -> Finding:
        found = Finding(namespace=self._space.label, path=str(self._folder / part), what=what)
        return replace(found, advice=advice, can_repair=False) if advice else found

    def _note(self, part: str, what: str, advice: str) -> Finding:
        return replace(self._fault(part, what, advice), kind=Kind.NOTE)


def _silent(_: Finding) -> None:
    return
