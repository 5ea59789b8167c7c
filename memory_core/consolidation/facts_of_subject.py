"""Reads the facts about one person or thing, and the insights drawn from them."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass

from ..domain.records import Memory, MemoryKind
from ..memory.namespace_memory import NamespaceMemory
from ..recall.derived_memories import outdated_ids, superseding
from ..storage.contract import DerivedFilter
from ..storage.log.projection import MemoryStatus
from .similar_facts import OBSERVATIONS

_INSIGHTS = frozenset((MemoryKind.INSIGHT,))
_MAX_FACTS = 60


@dataclass(frozen=True, slots=True, kw_only=True)
class FactsOfSubject:
    """The valid facts about a subject, oldest first, and its insights.

    `new` are the ids of facts without an insight. `outdated` maps an insight to the fact that
    replaced one of its sources.
    """

    subject: str
    facts: Sequence[Memory]
    insights: Sequence[Memory]
    new: Collection[str]
    outdated: Mapping[str, str]


def read_facts(opened: NamespaceMemory, subject: str) -> FactsOfSubject:
    """Returns the latest facts about a subject, without plans, stories and outdated facts."""
    valid = _valid_memories(opened, OBSERVATIONS, subject)
    facts = [one for one in valid if one.derived is None or one.derived.is_fact]
    insights = _valid_memories(opened, _INSIGHTS, subject)
    drawn_from = {source for one in insights for source in one.sources}
    open_facts = [one for one in facts if one.id not in drawn_from]
    outdated = dict(_outdated(opened, insights, {one.id for one in facts}))
    return FactsOfSubject(
        subject=subject,
        facts=_latest(facts, {*outdated.values()}),
        insights=insights,
        new=_unreflected(opened, open_facts),
        outdated=outdated,
    )


def _valid_memories(
    opened: NamespaceMemory, kinds: frozenset[MemoryKind], subject: str
) -> list[Memory]:
    only = DerivedFilter(kinds=kinds, subject=subject)
    found = opened.find_derived(only)
    gone = outdated_ids(opened.records, found, None)
    return [one for one in found if one.id not in gone]


def _latest(facts: Sequence[Memory], wanted: Collection[str]) -> list[Memory]:
    """Returns the latest facts, and all of those in `wanted`, the oldest first."""
    kept = {one.id for one in facts[-_MAX_FACTS:]} | set(wanted)
    return [one for one in facts if one.id in kept]


def _unreflected(opened: NamespaceMemory, facts: Sequence[Memory]) -> list[str]:
    """Returns the ids of facts without an insight; a forgotten insight counts as one."""
    into = {name for one in facts for name in _reflected_into(one)}
    records = opened.records(into) if into else {}
    counting = {
        name
        for name, record in records.items()
        if record.memory.kind is MemoryKind.INSIGHT and not record.is_withdrawn
    }
    return [one.id for one in facts if counting.isdisjoint(_reflected_into(one))]


def _reflected_into(memory: Memory) -> Sequence[str]:
    return memory.derived.reflected_into if memory.derived else ()


def _outdated(
    opened: NamespaceMemory, insights: Sequence[Memory], holding: Collection[str]
) -> Iterator[tuple[str, str]]:
    for insight in insights:
        gone = opened.records([one for one in insight.sources if one not in holding])
        for record in gone.values():
            later = superseding(opened.records, record.memory)
            live = [one.memory.id for one in later if one.status is MemoryStatus.LIVE]
            if live and live[-1] in holding and live[-1] not in insight.sources:
                yield insight.id, live[-1]
                break
