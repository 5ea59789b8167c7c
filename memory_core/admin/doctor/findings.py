"""A finding of the doctor: its place, the problem and the advice."""

from dataclasses import dataclass, replace
from enum import StrEnum


class FindingKind(StrEnum):
    """A fault is a broken guarantee of the storage; a note is only information."""

    FAULT = "fault"
    NOTE = "note"


class FindingCode(StrEnum):
    """The kind of problem; the tab has a text for each, in every language."""

    LEFTOVER = "leftover"
    SWAP_UNFINISHED = "swap_unfinished"
    SET_ASIDE = "set_aside"
    OWNER_UNKNOWN = "owner_unknown"
    FOREIGN = "foreign"
    ALIASES_DAMAGED = "aliases_damaged"
    ALIASES_UNREADABLE = "aliases_unreadable"
    OPEN_TO_OTHERS = "open_to_others"
    MANIFEST_UNREADABLE = "manifest_unreadable"
    MANIFEST_OF_OTHERS = "manifest_of_others"
    PAUSES_UNREADABLE = "pauses_unreadable"
    HELD_UNREADABLE = "held_unreadable"
    TORN_LINE = "torn_line"
    DAMAGED_LINE = "damaged_line"
    UNKNOWN_LINE = "unknown_line"
    SENSELESS_LINE = "senseless_line"
    NOT_ERASED = "not_erased"
    CREATED_TWICE = "created_twice"
    WRONG_ORDER = "wrong_order"
    UNKNOWN_MEMORY = "unknown_memory"
    IN_USE = "in_use"
    NOT_WRITABLE = "not_writable"
    NOT_READABLE = "not_readable"
    INDEX_NOT_OPENED = "index_not_opened"
    INDEX_DIFFERS = "index_differs"
    INDEX_REBUILT = "index_rebuilt"
    LATE_WRITES = "late_writes"
    NOT_REPAIRED = "not_repaired"
    BACKUP = "backup"


REPAIR_ADVICE = "run it again with --repair"


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One problem and the advice for it.

    `problem` and `advice` are the sentences of the command line. `detail` is the part of the
    problem that differs from case to case: a name, or the reason that a lower layer gives.
    `namespace` is a label, empty for files of all namespaces. `path` is relative to the storage
    folder. `byte_offset` is the place in that file, if known. --repair repairs it if `can_repair`.
    """

    code: FindingCode
    namespace: str
    path: str
    problem: str
    advice: str = REPAIR_ADVICE
    byte_offset: int | None = None
    kind: FindingKind = FindingKind.FAULT
    can_repair: bool = True
    detail: str = ""

    @property
    def is_fault(self) -> bool:
        return self.kind is FindingKind.FAULT

    def unrepairable(self, advice: str) -> "Finding":
        """Returns the finding as one that --repair leaves alone, with this advice."""
        return replace(self, advice=advice, can_repair=False)

    def as_note(self) -> "Finding":
        return replace(self, kind=FindingKind.NOTE)
