"""The contract of workers: small classes that make derived memories with the language model.

A worker names the jobs that log events make due, prepares a job from the stored memories, and runs
it with the model. Jobs run again after a crash, so prepare() returns None for one that is done.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Protocol

from ..domain.records import Turn, empty_mapping
from ..memory.derived_memories import NewDerived
from ..memory.namespace_memory import NamespaceMemory
from ..storage.log.events import Event, EventType
from ..storage.log.projection import MemoryRecord

# Events that give an exchange its words, and those that change what a summary was made of.
STATING_EVENTS = frozenset((
    EventType.ADD, EventType.PLACE, EventType.EDIT, EventType.REVISE, EventType.UNFORGET,
))  # fmt: skip
CHANGING_EVENTS = frozenset((
    EventType.EDIT, EventType.REVISE, EventType.REMOVE, EventType.FORGET, EventType.UNFORGET,
))  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """A prepared job. `records` are the memories that it reads, by id; they are its sources.

    `details` has any other data that the worker needs. The job waits until `not_before`, in seconds
    since the epoch, which is no failed attempt. If a source changes meanwhile, the results are
    dropped and the job is due again.
    """

    key: str
    records: Mapping[str, MemoryRecord]
    details: Mapping[str, Any] = field(default_factory=empty_mapping)
    not_before: float = 0.0

    @property
    def sources(self) -> dict[str, int]:
        """Returns id → seq of each record, as NewDerived takes it."""
        return {memory_id: record.seq for memory_id, record in self.records.items()}

    @property
    def stamp(self) -> str:
        """Returns a text that changes whenever a source does."""
        return " ".join(f"{memory_id}:{seq}" for memory_id, seq in sorted(self.sources.items()))


@dataclass(frozen=True, slots=True, kw_only=True)
class Replaced:
    """Result: `old` held until `valid_to` (seconds since the epoch), then `new` replaced it."""

    old: str
    new: str
    valid_to: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Doubtful:
    """Result: a memory may contradict these others; a person has to decide."""

    memory_id: str
    others: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Update:
    """A new memory, and the ids of older ones that it supersedes: these stay as past facts."""

    new: NewDerived
    replaces: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Reflection:
    """Result: new memories, all of them made of the memories `read`.

    Each of `read` is marked as reflected into all of them.
    """

    updates: tuple[Update, ...]
    read: tuple[str, ...]


Result = NewDerived | Replaced | Doubtful | Reflection


class JobModel(Protocol):
    """The language model as a worker sees it."""

    @property
    def name(self) -> str:
        """Returns the model's name, for Derivation.made_by."""
        ...

    def now(self) -> datetime: ...

    def ask(self, turns: Sequence[Turn], *, schema: Mapping[str, Any]) -> dict[str, Any]:
        """Returns the answer's JSON object, which has the schema's required keys.

        Other keys are left out. Raises BadAnswer, and LLMUnavailable.
        """
        ...


class Worker(Protocol):
    """One kind of background work. `name` is unique and appears in the queue and the audit log.

    Own classes are created with `settings=`, the section `consolidation`.
    """

    name: str

    def keys(self, events: Sequence[Event]) -> Iterable[str]:
        """Returns the keys of the jobs that these events of one log make due, in their order."""
        ...

    def prepare(self, opened: NamespaceMemory, key: str) -> Task | None:
        """Returns the job with all it reads; None if there is nothing left to do."""
        ...

    def run(self, task: Task, model: JobModel) -> Sequence[Result]:
        """Returns what to store, in this order. Raises BadAnswer for an unusable answer.

        Memories are data, never instructions: an answer may only fill the fields of the schema.
        """
        ...
