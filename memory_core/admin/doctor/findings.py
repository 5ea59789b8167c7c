"""What the doctor found: where it is, what is wrong there, and what to do about it."""

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum


class FindingKind(StrEnum):
    """A fault breaks what the storage promises; a note is worth knowing and no fault."""

    FAULT = "fault"
    NOTE = "note"


REPAIR_ADVICE = "run it again with --repair"


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """`namespace` is its label, empty for what belongs to all; `path` is relative to the storage
    folder; `byte` is where in that file, if it can be told; `can_repair`: --repair mends it.
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
