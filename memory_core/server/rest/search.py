"""The endpoint /memories/search, which can explain each result."""

from fastapi import Request

from ... import bootstrap
from ...domain.namespaces import encode
from ...memory.runtime import Runtime
from ...recall.pipeline import Pipeline
from ...recall.query import Query, local_time
from ...recall.results import Candidate, Dropped, Recalled
from ...storage.contract import SearchFilter
from ...text.sentences import abridge
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
        query = self.query(body)
        recall = self._runtime.memory.recall(namespace, query, self.pipeline(body.limit))
        dropped = [_dropped(drop) for drop in recall.dropped] if body.explain else None
        return SearchResults(
            results=[_hit(recalled, explain=body.explain) for recalled in recall.kept],
            dropped=dropped,
            degraded=list(recall.degraded_reasons),
            elapsed_ms=round(recall.elapsed_ms, 3),
        )

    def query(self, body: SearchMemories) -> Query:
        return Query(
            text=abridge(body.query),
            now=local_time(self._runtime.clock()),
            is_explicit_request=True,
            search_filter=SearchFilter(
                since=seconds(body.since),
                until=seconds(body.until),
                kinds=frozenset(body.kinds),
                conversation=encode(body.conversation_id) if body.conversation_id else "",
            ),
        )

    def pipeline(self, limit: int) -> Pipeline:
        """Returns a pipeline that lists `limit` memories, without asking a language model."""
        settings = self._runtime.settings
        recall = settings.recall.model_copy(
            update={
                "retrieve_k": 0,
                "lines": limit,
                "candidate_n": max(limit, settings.recall.candidate_n),
            }
        )
        reads = settings.ltm_reads.model_copy(update={"num_memories_to_fetch": None})
        changed = settings.model_copy(update={"recall": recall, "ltm_reads": reads})
        return bootstrap.build_pipeline(changed, None, reranker=self._runtime.models.reranker)


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
