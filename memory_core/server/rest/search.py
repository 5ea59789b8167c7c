"""The endpoint /memories/search, which can explain each result."""

from fastapi import Request

from ...domain.namespaces import encode
from ...memory.runtime import Runtime
from ...recall.results import Candidate, Dropped, Recalled
from ...storage.contract import SearchFilter
from ..listing import recall_best
from .owners import Owners
from .shapes import (
    DroppedHit,
    Explanation,
    Hit,
    SearchMemories,
    SearchResults,
    memory_out,
    seconds,
)


class Search:
    """Searches memories as a chat would recall them, but lists as many as the caller wants."""

    def __init__(self, runtime: Runtime, owners: Owners) -> None:
        self._runtime = runtime
        self._owners = owners

    def search(self, request: Request, body: SearchMemories) -> SearchResults:
        """Searches the memories by meaning and words, best first."""
        namespace = self._owners.existing(request, body.user_id, body.character)
        if namespace is None or not body.query.strip():
            return SearchResults(results=[], degraded=[], elapsed_ms=0.0)
        recall = recall_best(
            self._runtime, namespace, body.query, limit=body.limit, search_filter=_filter(body)
        )
        dropped = [_dropped(drop) for drop in recall.dropped] if body.explain else None
        return SearchResults(
            results=[_hit(recalled, explain=body.explain) for recalled in recall.kept],
            dropped=dropped,
            degraded=list(recall.degraded_reasons),
            elapsed_ms=round(recall.elapsed_ms, 3),
        )


def _filter(body: SearchMemories) -> SearchFilter:
    return SearchFilter(
        since=seconds(body.since),
        until=seconds(body.until),
        kinds=frozenset(body.kinds),
        conversation=encode(body.conversation_id) if body.conversation_id else "",
    )


def _hit(recalled: Recalled, *, explain: bool) -> Hit:
    candidate = recalled.candidate
    return Hit(
        memory=memory_out(recalled.memory),
        score=round(candidate.score, 4),
        explanation=_explanation(candidate) if explain else None,
    )


def _explanation(candidate: Candidate) -> Explanation:
    parts = {name: round(value, 4) for name, value in candidate.parts.items()}
    cosine = None if candidate.cosine is None else round(candidate.cosine, 4)
    return Explanation(parts=parts, cosine=cosine)


def _dropped(drop: Dropped) -> DroppedHit:
    candidate = drop.candidate
    return DroppedHit(
        id=candidate.memory.id,
        score=round(candidate.score, 4),
        reason=drop.reason.value,
        detail=drop.detail,
    )
