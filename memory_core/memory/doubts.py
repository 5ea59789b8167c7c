"""Facts that may contradict each other, and what somebody decided about them."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

from ..domain.errors import UnknownMemory
from ..domain.namespaces import Namespace
from ..domain.records import Memory
from ..recall.derived_memories import outdated_ids
from ..storage.contract import DerivedFilter
from .derived_memories import DerivedMemories
from .long_term_memory import LongTermMemory
from .namespace_memory import NamespaceMemory


class Verdict(StrEnum):
    FIRST = "first"  # the earlier one is right, the later one was never true
    SECOND = "second"  # the later one replaced the earlier one
    BOTH = "both"


@dataclass(frozen=True, slots=True, kw_only=True)
class Doubt:
    """Two facts that may not both be true, `first` said earlier. `marked` refers to the other."""

    first: Memory
    second: Memory
    marked: Memory


@dataclass(frozen=True, slots=True, kw_only=True)
class Settled:
    """A decision that can be undone; `loser` is the id of the fact that lost, if any."""

    marked: str
    doubted_before: tuple[str, ...]
    loser: str = ""


class Doubts:
    """Safe for many threads of one program."""

    def __init__(self, memory: LongTermMemory) -> None:
        self._memory = memory
        self._derived = DerivedMemories(memory)

    def open(self, namespace: Namespace) -> list[Doubt]:
        """Returns the undecided pairs, the newest first."""
        with self._memory.open_namespace(namespace) as opened:
            found = opened.find_derived(DerivedFilter())
            doubted = [one for one in found if one.derived and one.derived.in_doubt_with]
            pairs = _distinct(_pairs(opened, doubted))
        return sorted(pairs, key=lambda pair: -(pair.second.ts or 0.0))

    def settle(self, namespace: Namespace, ids: Sequence[str], verdict: Verdict) -> Settled:
        """Decides about the pair with these two ids. Raises UnknownMemory if none waits."""
        wanted = set(ids)
        pairs = (one for one in self.open(namespace) if {one.first.id, one.second.id} == wanted)
        doubt = next(pairs, None)
        if doubt is None:
            raise UnknownMemory(" ".join(sorted(wanted)))
        loser = self._supersede_wrong(namespace, doubt, verdict)
        before = doubt.marked.derived.in_doubt_with if doubt.marked.derived else ()
        left = [one for one in before if one not in wanted]
        self._derived.doubt(namespace, doubt.marked.id, left)
        return Settled(marked=doubt.marked.id, doubted_before=before, loser=loser)

    def undo(self, namespace: Namespace, settled: Settled) -> None:
        """Takes settle() back. Raises UnknownMemory."""
        if settled.loser:
            self._derived.reinstate(namespace, settled.loser)
        self._derived.doubt(namespace, settled.marked, settled.doubted_before)

    def _supersede_wrong(self, namespace: Namespace, doubt: Doubt, verdict: Verdict) -> str:
        """Lets the right fact replace the wrong one; returns the latter's id, "" if both hold."""
        first, second = doubt.first, doubt.second
        if verdict is Verdict.FIRST:  # ends where it begins: it held at no time
            self._derived.supersede(namespace, second.id, first.id, valid_to=first.ts)
            return second.id
        if verdict is Verdict.SECOND:
            self._derived.supersede(namespace, first.id, second.id)
            return first.id
        return ""


def _pairs(opened: NamespaceMemory, doubted: Sequence[Memory]) -> Iterator[Doubt]:
    names = {name for one in doubted for name in (one.derived.in_doubt_with if one.derived else ())}
    only = DerivedFilter(ids=frozenset(names))
    others = opened.find_derived(only)
    live = {one.id: one for one in others}
    gone = outdated_ids(opened.records, [*others, *doubted], None)
    for one in doubted:
        for name in one.derived.in_doubt_with if one.derived else ():
            if name in live and gone.isdisjoint((name, one.id)):
                first, second = sorted((live[name], one), key=lambda memory: memory.ts or 0.0)
                yield Doubt(first=first, second=second, marked=one)


def _distinct(pairs: Iterator[Doubt]) -> list[Doubt]:
    return list({frozenset((one.first.id, one.second.id)): one for one in pairs}.values())
