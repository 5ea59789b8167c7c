"""Searches and questions over the memories of one or several users."""

from collections.abc import Sequence
from dataclasses import dataclass

from ...domain.namespaces import Namespace
from ...domain.records import MemoryKind
from ...memory.questions import Answer, Question
from ...memory.runtime import Runtime
from ...recall.results import Recalled
from ...storage.contract import SearchFilter
from ..listing import recall_best


@dataclass(frozen=True, slots=True, kw_only=True)
class MemorySearch:
    """A search in the memories of these owners, each with its shared ones.

    `since` and `until` limit it to a half-open interval, in seconds since the epoch.
    """

    text: str
    owners: Sequence[Namespace]
    limit: int = 5
    since: float | None = None
    until: float | None = None
    kinds: frozenset[MemoryKind] = frozenset()


def search(runtime: Runtime, wanted: MemorySearch) -> list[tuple[Namespace, Recalled]]:
    """Returns the best memories of all owners, each once, the best first."""
    if not wanted.text.strip():
        return []
    only = SearchFilter(since=wanted.since, until=wanted.until, kinds=wanted.kinds)
    found = {
        recalled.memory.id: (owner, recalled)
        for owner in existing(runtime, wanted.owners)
        for recalled in recall_best(
            runtime, owner, wanted.text, limit=wanted.limit, search_filter=only
        ).kept
    }
    ordered = sorted(found.values(), key=lambda pair: -pair[1].candidate.score)
    return ordered[: wanted.limit]


def answer(runtime: Runtime, wanted: MemorySearch) -> Answer:
    """Answers a question from the memories of all owners, later ones winning on conflict."""
    question = Question(
        text=wanted.text,
        namespaces=tuple(existing(runtime, wanted.owners)),
        top_k=wanted.limit,
        since=wanted.since,
        until=wanted.until,
    )
    return runtime.memory.answer(question)


def existing(runtime: Runtime, owners: Sequence[Namespace]) -> list[Namespace]:
    """Returns the owners that have memories, each once, without creating folders for others."""
    resolved = dict.fromkeys(map(runtime.memory.resolve, owners))
    return list(filter(runtime.memory.shared.namespaces.has, resolved))
