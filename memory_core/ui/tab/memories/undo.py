"""Actions that can be undone, each with the data for that."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from ....domain.namespaces import Namespace
from ....memory.merging import Merge, undo_merge
from ....memory.relocation import Relocation, undo_move
from ....memory.runtime import Runtime


class Undo(Protocol):
    """Undoes one action in one namespace. May raise UnknownMemory, StorageFailed."""

    @property
    def namespace(self) -> Namespace: ...

    def run(self, runtime: Runtime) -> None: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class UndoForget:
    namespace: Namespace
    ids: Sequence[str]

    def run(self, runtime: Runtime) -> None:
        runtime.memory.unforget(self.namespace, *self.ids)
        runtime.schedule(self.namespace)


@dataclass(frozen=True, slots=True, kw_only=True)
class UndoUnforget:
    namespace: Namespace
    ids: Sequence[str]

    def run(self, runtime: Runtime) -> None:
        runtime.forget_exactly(self.namespace, self.ids)


@dataclass(frozen=True, slots=True, kw_only=True)
class UndoEdit:
    namespace: Namespace
    memory_id: str
    before: Mapping[str, str]

    def run(self, runtime: Runtime) -> None:
        runtime.memory.edit(self.namespace, self.memory_id, self.before)
        runtime.schedule(self.namespace)


@dataclass(frozen=True, slots=True, kw_only=True)
class UndoPin:
    """Restores pins; `is_pinned` is whether the memories were pinned before."""

    namespace: Namespace
    ids: Sequence[str]
    is_pinned: bool

    def run(self, runtime: Runtime) -> None:
        change = runtime.memory.pin if self.is_pinned else runtime.memory.unpin
        for memory_id in self.ids:
            change(self.namespace, memory_id)


@dataclass(frozen=True, slots=True, kw_only=True)
class UndoMerge:
    namespace: Namespace
    merge: Merge

    def run(self, runtime: Runtime) -> None:
        undo_merge(runtime, self.namespace, self.merge)


@dataclass(frozen=True, slots=True, kw_only=True)
class UndoMove:
    namespace: Namespace
    move: Relocation

    def run(self, runtime: Runtime) -> None:
        undo_move(runtime, self.move)
