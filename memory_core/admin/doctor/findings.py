"""A finding of the doctor: its place, the problem and the advice."""

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum


class FindingKind(StrEnum):
    """A fault breaks a promise of the storage; a note is only worth knowing."""

    FAULT = "fault"
    NOTE = "note"


REPAIR_ADVICE = "run it again with --repair"


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One problem and the advice for it.

    `namespace` is a label, empty for files of all namespaces. `path` is relative to the storage
    folder. `byte_offset` is the place in that file, if known. --repair repairs it if `can_repair`.
    """

    namespace: str
    path: str
    problem: str
    advice: str = REPAIR_ADVICE
    byte_offset: int | None = None
    kind: FindingKind = FindingKind.FAULT
    can_repair: bool = True

    @property
    def is_fault(self) -> bool:
        return self.kind is FindingKind.FAULT


FindingListener = Callable[[Finding], None]
