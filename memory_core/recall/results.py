"""Results of a recall: candidates, recalled memories, dropped ones with reasons, and features."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from ..domain.records import EMPTY_MAPPING, Memory
from .cue_by_meaning import UNKNOWN_WORDING, Wording


@dataclass(frozen=True, slots=True, kw_only=True)
class NeedFeatures:
    """Coverage of a message's words by the stored memories.

    `found`: summed weight of the words in the best exchange, in rare words; `share`: `found` as a
    share of all the message's words; `covered`: the largest share of them that one memory has;
    `is_known`: some memory has one of the words; `asks_back`: the message names a past time;
    `trust`: how well the embedder knows the message's language, 0 … 1, 0 without an embedder;
    `wording`: what the message's vector says of its wording.
    """

    share: float
    found: float
    covered: float = 0.0
    is_known: bool = False
    asks_back: bool = False
    trust: float = 0.0
    wording: Wording = UNKNOWN_WORDING


NO_FEATURES = NeedFeatures(share=0.0, found=0.0)


class Form(StrEnum):
    """The form in which a recalled memory enters the prompt."""

    REPLAY = "replay"
    LINE = "line"


class DropReason(StrEnum):
    """The reason why a candidate did not reach the prompt; shown in the viewer."""

    SHOWN = "shown"
    STALE = "stale"
    OUTDATED = "outdated"
    DATE = "date"
    DUPLICATE = "duplicate"
    GATE = "gate"
    LIMIT = "limit"
    BUDGET = "budget"
    LEFT_OUT = "left_out"


ALREADY_IN_SYSTEM_BLOCK = "already in the system block"


@dataclass(frozen=True, slots=True, kw_only=True)
class VersionSigns:
    """Signs that a later memory is a newer version of what an older one says.

    `score`: the later one's score as a share of the older one's. `link`: summed weight of the rare
    words that both have. `same_numbers`: both have a digit, or neither. `change`: the later one
    reports a change; `change_now`: and the message asks about the present; `change_of_subject`:
    and the two are strongly linked; `change_of_time`: and it has a number or a day, and the
    message asks when.
    """

    score: float
    link: float
    same_numbers: bool
    change: bool
    change_now: bool
    change_of_subject: bool
    change_of_time: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Candidate:
    """A memory with its score (higher is better) and the parts that add up to it.

    `own_score` is what its own text and time earned of the score, without its neighbours and its
    session; None if unknown. `cosine` is the cosine of its vector and the query's adapted one,
    or None if either is missing.
    `carried_over` is a score left over from an earlier message: it counts at the gate, not in the
    order. `is_outside_dates`: its time is not the one that the message requires. `key` is the key
    of its content; `chat_key` is that of the chat's text, which differs after the user edits the
    memory. `matching_side` is the better side of an exchange: 0 user, 1 answer, None if equal.
    `is_outdated`: it or its best matching derived memory no longer holds. `source_keys`: the keys
    of each memory that a derived one was made of. `newer_than` has the ids of older candidates of
    which this one may be a newer version, each with the signs for it. `replaces` is the id of the
    one that it most likely is a newer version of; `corrects` that of the one whose number it
    corrects.
    """

    memory: Memory
    score: float
    parts: Mapping[str, float] = field(default_factory=lambda: EMPTY_MAPPING)
    own_score: float | None = None
    cosine: float | None = None
    carried_over: float = 0.0
    is_outside_dates: bool = False
    key: str = ""
    chat_key: str = ""
    matching_side: int | None = None
    is_outdated: bool = False
    source_keys: tuple[frozenset[str], ...] = ()
    newer_than: Mapping[str, VersionSigns] = field(default_factory=lambda: EMPTY_MAPPING)
    replaces: str = ""
    corrects: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Recalled:
    """A candidate that recall kept, and its form.

    `is_brief`: a short line is enough. `is_direct` is False for memories that an earlier message
    recalled.
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
    """A candidate that did not reach the prompt. `detail` explains it in the viewer."""

    candidate: Candidate
    reason: DropReason
    detail: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Recall:
    """The result of one recall.

    `degraded_reasons` name in plain words what was missing, such as the embedder. `notes` are
    further remarks for the trace. `need` is the probability, 0 … 1, that the message wants a
    memory, or None if not estimated.
    """

    kept: tuple[Recalled, ...] = ()
    dropped: tuple[Dropped, ...] = ()
    degraded_reasons: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    need: float | None = None
    elapsed_ms: float = 0.0


def joined(recalls: Sequence[Recall]) -> Recall:
    """Returns the recalls of several namespaces as one: each memory once, the best first."""
    if len(recalls) == 1:
        return recalls[0]
    kept = {found.memory.id: found for recall in recalls for found in recall.kept}
    dropped = {drop.candidate.memory.id: drop for recall in recalls for drop in recall.dropped}
    reasons = (reason for recall in recalls for reason in recall.degraded_reasons)
    return Recall(
        kept=tuple(sorted(kept.values(), key=lambda found: -found.candidate.score)),
        dropped=tuple(drop for name, drop in dropped.items() if name not in kept),
        degraded_reasons=tuple(dict.fromkeys(reasons)),
        elapsed_ms=sum(recall.elapsed_ms for recall in recalls),
    )
