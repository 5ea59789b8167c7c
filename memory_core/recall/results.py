"""The results of a recall: candidates, the recalled and the dropped among them, and why."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from ..domain.records import EMPTY_MAPPING, Memory


class Form(StrEnum):
    """How a recalled memory enters the prompt."""

    REPLAY = "replay"
    LINE = "line"


class DropReason(StrEnum):
    """Why a candidate did not reach the prompt; the viewer shows these."""

    SHOWN = "shown"
    STALE = "stale"
    DATE = "date"
    DUPLICATE = "duplicate"
    GATE = "gate"
    LIMIT = "limit"
    BUDGET = "budget"


ALREADY_IN_SYSTEM_BLOCK = "it stands in the system block"


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """A memory with its score (higher is better) and the parts that add up to it.

    `cosine` is that of its vector with the query's, where both were at hand. `lent` is what an
    earlier message still lends it: it counts at the gate, not in the order. `is_outside`: it is of
    another time than the only one that the message lets in. `key` is that of its content,
    `chat_key` of what the chat says, which is another where the user edited the memory. `side` is
    that of an exchange which matched better: 0 the user's, 1 the answer, None where neither did.
    """

    memory: Memory
    score: float
    parts: Mapping[str, float] = field(default_factory=lambda: EMPTY_MAPPING)
    cosine: float | None = None
    carried_over: float = 0.0
    is_outside_dates: bool = False
    key: str = ""
    chat_key: str = ""
    matching_side: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Recalled:
    """A candidate that recall kept, with the form it shall take. `is_brief`: a short line of the
    side that matched is enough. One that is not direct fits an earlier message better than this.
    """

    candidate: Candidate
    form: Form
    is_brief: bool = False
    is_direct: bool = True

    @property
    def memory(self) -> Memory:
        return self.candidate.memory


@dataclass(frozen=True, slots=True, kw_only=True)
class Dropped:
    """A candidate that did not reach the prompt. `detail` is for the viewer, e.g. the threshold."""

    candidate: Candidate
    reason: DropReason
    detail: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Recall:
    """What one recall found. `degraded` says in plain words what was missing (no embedder, …),
    `notes` what else the trace shall tell, `need` how surely the message wants a memory, 0 … 1,
    where that was judged.
    """

    kept: tuple[Recalled, ...] = ()
    dropped: tuple[Dropped, ...] = ()
    degraded_reasons: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    need: float | None = None
    elapsed_ms: float = 0.0
