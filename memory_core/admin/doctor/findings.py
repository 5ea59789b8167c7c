"""What the doctor found: where it is, what is wrong there, and what to do about it."""

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum


class Kind(StrEnum):
    """A fault breaks what the storage promises; a note is worth knowing and no fault."""

    FAULT = "fault"
    NOTE = "note"


REPAIR = "run it again with --repair"


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """`namespace` is its label, empty for what belongs to all; `path` is relative to the storage
    folder; `byte` is where in that file, if it can be told; `can_repair`: --repair mends it.
    """

    namespace: str
    path: str
    what: str
    advice: str = REPAIR
    byte: int | None = None
    kind: Kind = Kind.FAULT
    can_repair: bool = True

    @property
    def is_fault(self) -> bool:
        return self.kind is Kind.FAULT


Tell = Callable[[Finding], None]
