"""Compares candidates with the memories they were made of: shown, outdated, repeated."""

from collections.abc import Collection, Sequence
from dataclasses import replace

from ..domain.records import Memory
from ..storage.contract import FullTextIndex, PassageColumns
from .query import Query
from .results import Candidate

_FEW_SOURCES = 3  # a memory of more sources is an overview, which replaces none of them


def with_sources(
    candidates: Sequence[Candidate],
    fulltext: FullTextIndex,
    passages: PassageColumns,
    outdated_ids: Collection[str],
) -> list[Candidate]:
    """Returns the candidates with the content keys of their sources, and marked if outdated."""
    sources = {name for one in candidates for name in _derived_from(one.memory)}
    if not (sources or outdated_ids):
        return list(candidates)
    wanted = [index for index, memory_id in enumerate(passages.ids) if memory_id in sources]
    fetched = fulltext.fetch_memories(passages, wanted)
    keys = {
        passages.ids[index]: frozenset((stored.key, stored.chat_key))
        for index, stored in fetched.items()
    }
    return [
        replace(
            one,
            is_outdated=one.memory.id in outdated_ids,
            source_keys=tuple(keys[name] for name in _derived_from(one.memory) if name in keys),
        )
        for one in candidates
    ]


def is_wholly_shown(candidate: Candidate, query: Query) -> bool:
    """Returns whether the prompt shows all the memories that the candidate was made of."""
    shown = query.shown_keys
    return bool(candidate.source_keys) and all(
        not shown.isdisjoint(keys) for keys in candidate.source_keys
    )


def has_stale_source(candidate: Candidate, query: Query) -> bool:
    return not query.stale_ids.isdisjoint(_derived_from(candidate.memory))


class Overlap:
    """Recognises memories that say again what better ones say: a derived one, or its source."""

    def __init__(self) -> None:
        self._kept: set[str] = set()
        self._replaced: set[str] = set()

    def repeats(self, memory: Memory) -> bool:
        """Returns whether a better memory was made of this one, or is one of its few sources."""
        return memory.id in self._replaced or not self._kept.isdisjoint(_few_sources(memory))

    def add(self, memory: Memory) -> None:
        self._kept.add(memory.id)
        self._replaced.update(_few_sources(memory))


def _derived_from(memory: Memory) -> tuple[str, ...]:
    return memory.sources if memory.derived else ()


def _few_sources(memory: Memory) -> tuple[str, ...]:
    sources = _derived_from(memory)
    return sources if len(sources) <= _FEW_SOURCES else ()
