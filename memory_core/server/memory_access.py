"""Searches memories, and adds facts, alike for all interfaces of the server.

A search recalls as a chat does, but lists as many memories as the caller wants. No language model
judges them, and the limits of a prompt do not apply.
"""

from collections.abc import Iterable, Sequence
from contextlib import suppress

from .. import bootstrap
from ..domain.errors import ConfigError, LongTermMemoryError
from ..domain.namespaces import Namespace
from ..domain.records import MemoryKind
from ..host.chat_sync.withheld import WriteRules, current_rules
from ..memory.remember_switch import IS_OFF
from ..memory.runtime import Runtime
from ..recall.pipeline import Pipeline
from ..recall.query import explicit_query
from ..recall.results import Recall, Recalled
from ..storage.contract import NO_FILTER, SearchFilter


def recall_best(
    runtime: Runtime,
    namespace: Namespace,
    text: str,
    *,
    limit: int,
    search_filter: SearchFilter = NO_FILTER,
    min_share: float | None = None,
) -> Recall:
    """Returns up to `limit` memories of one namespace and its shared ones, the best first.

    `min_share` takes the place of recall.min_share.
    """
    query = explicit_query(text, runtime.clock(), search_filter)
    return runtime.memory.recall(namespace, query, _pipeline(runtime, limit, min_share))


def search_all(
    runtime: Runtime,
    owners: Sequence[Namespace],
    text: str,
    *,
    limit: int,
    search_filter: SearchFilter = NO_FILTER,
) -> list[tuple[Namespace, Recalled]]:
    """Returns the best memories of all owners, each once, the best first."""
    if not text.strip():
        return []
    found = {
        recalled.memory.id: (owner, recalled)
        for owner in existing(runtime, owners)
        for recalled in recall_best(
            runtime, owner, text, limit=limit, search_filter=search_filter
        ).kept
    }
    return sorted(found.values(), key=lambda pair: -pair[1].candidate.score)[:limit]


def existing(runtime: Runtime, owners: Iterable[Namespace]) -> list[Namespace]:
    """Returns the owners that have memories, each once, without creating folders for others."""
    resolved = dict.fromkeys(map(runtime.memory.resolve, owners))
    return list(filter(runtime.memory.shared.namespaces.has, resolved))


def latest_rules(runtime: Runtime) -> WriteRules:
    """Returns the rules for messages that arrive now, also if another program switched Remember."""
    if runtime.remember_switch.was_switched_elsewhere():
        with suppress(LongTermMemoryError):  # the answer counts more than new settings
            runtime.reload_settings()
    return current_rules(runtime.remember_switch)


def refuse_while_off(runtime: Runtime) -> None:
    """Raises ConfigError while Remember is off: then nothing is added to the memories."""
    if not latest_rules(runtime).stores:
        raise ConfigError(IS_OFF, key="ltm_writes.enabled")


def remember_fact(runtime: Runtime, namespace: Namespace, text: str) -> str:
    """Adds a fact about the user, which is in every prompt; returns its id.

    Raises ConfigError while Remember is off.
    """
    refuse_while_off(runtime)
    memory_id = runtime.memory.add_note(namespace, text, kind=MemoryKind.KNOWLEDGE, pinned=False)
    runtime.schedule(namespace)
    return memory_id


def _pipeline(runtime: Runtime, limit: int, min_share: float | None) -> Pipeline:
    settings = runtime.settings
    usual = settings.recall
    changes = {
        "retrieve_k": 0,
        "lines": limit,
        "candidate_n": max(limit, usual.candidate_n),
        "min_share": usual.min_share if min_share is None else min_share,
    }
    reads = settings.ltm_reads.model_copy(update={"num_memories_to_fetch": None})
    recall = usual.model_copy(update=changes)
    changed = settings.model_copy(update={"recall": recall, "ltm_reads": reads})
    return bootstrap.build_pipeline(changed, None, reranker=runtime.models.reranker)
