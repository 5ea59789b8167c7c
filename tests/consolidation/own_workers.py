"""Workers as users may write them, for `package.module:Class`."""

from collections.abc import Sequence
from typing import Never

from memory_core.consolidation.contract import JobModel, Task
from memory_core.consolidation.job_model import answer_schema
from memory_core.domain.derivations import Derivation
from memory_core.domain.records import MemoryKind, Role, Turn
from memory_core.memory.derived_memories import NewDerived
from memory_core.memory.namespace_memory import NamespaceMemory
from memory_core.storage.log.events import Event, EventType


class Moods:
    """Notes a mood for each exchange."""

    name = "moods"

    def __init__(self, *, settings: object) -> None:
        pass

    def keys(self, events: Sequence[Event]) -> list[str]:
        return [event.id for event in events if event.op is EventType.ADD]

    def prepare(self, opened: NamespaceMemory, key: str) -> Task | None:
        records = opened.records([key])
        return Task(key=key, records=records) if records else None

    def run(self, task: Task, model: JobModel) -> list[NewDerived]:
        asked = (Turn(role=Role.USER, text="Which mood?"),)
        mood = model.ask(asked, schema=answer_schema({"mood": {"type": "string"}}))["mood"]
        return [self.made(task, str(mood), model)]

    def made(self, task: Task, text: str, model: JobModel) -> NewDerived:
        made_by = Derivation(made_by=model.name)
        kind = MemoryKind.OBSERVATION
        return NewDerived(kind=kind, text=text, sources=task.sources, derived=made_by)


class BrokenRun(Moods):
    name = "broken"

    def run(self, task: Task, model: JobModel) -> Never:
        raise ZeroDivisionError("secret words of a memory")


class BrokenPrepare(Moods):
    name = "broken"

    def prepare(self, opened: NamespaceMemory, key: str) -> Never:
        raise ZeroDivisionError("secret words of a memory")


class NamesOthers(Moods):
    """Names a source that its job did not read."""

    name = "broken"

    def made(self, task: Task, text: str, model: JobModel) -> NewDerived:
        made_by = Derivation(made_by=model.name)
        sources = {**task.sources, "another": 1}
        return NewDerived(kind=MemoryKind.OBSERVATION, text=text, sources=sources, derived=made_by)
