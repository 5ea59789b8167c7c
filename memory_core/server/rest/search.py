"""The endpoints /memories/search, which can explain each result, and /answer.

There, a language model answers a question from the memories that fit it.
"""

from fastapi import Request

from ...domain.namespaces import Namespace, encode
from ...memory.questions import Answer, Question, Stage
from ...memory.runtime import Runtime
from ...recall.results import Candidate, Dropped, Recalled, joined
from ...storage.contract import SearchFilter
from ..memory_access import recall_best
from .owners import Owners, user_id_of
from .shapes import (
    AnswerOut,
    AskMemories,
    DroppedHit,
    Explanation,
    Hit,
    SearchMemories,
    SearchResults,
    memory_out,
    window_of,
)

NOTHING_STORED = "there are no memories of this user and character"


class Search:
    """Searches memories as a chat would recall them, but lists as many as the caller wants."""

    def __init__(self, runtime: Runtime, owners: Owners) -> None:
        self._runtime = runtime
        self._owners = owners

    def search(self, request: Request, body: SearchMemories) -> SearchResults:
        """Searches the memories by meaning and words, best first."""
        only = _filter(body)
        spaces = self._owners.all_existing(request, body.user_id, body.character)
        if not body.query.strip():
            return SearchResults(results=[], degraded=[], elapsed_ms=0.0)
        recalls = {
            space: recall_best(
                self._runtime, space, body.query, limit=body.limit, search_filter=only
            )
            for space in spaces
        }
        owners = {one.memory.id: space for space in spaces for one in recalls[space].kept}
        found = joined(list(recalls.values()))
        kept = found.kept[: body.limit]
        return SearchResults(
            results=[_hit(owners[one.memory.id], one, explain=body.explain) for one in kept],
            dropped=list(map(_dropped, found.dropped)) if body.explain and spaces else None,
            degraded=list(dict.fromkeys(found.degraded_reasons)),
            elapsed_ms=round(found.elapsed_ms, 3),
        )

    def answer(self, request: Request, body: AskMemories) -> AnswerOut:
        """Answers from summaries and notes; if these are not enough, from the exchanges too."""
        since, until = window_of(body.since, body.until, body.utc_offset_hours)
        spaces = self._owners.all_existing(request, body.user_id, body.character)
        if not spaces:
            return AnswerOut(
                answer="", stage=Stage.CONDENSED, fault=NOTHING_STORED, used=[], sources=[]
            )
        question = Question(
            text=body.question,
            namespaces=tuple(spaces),
            top_k=body.top_k,
            since=since,
            until=until,
        )
        return _answer_out(self._runtime.memory.answer(question))


def _answer_out(answer: Answer) -> AnswerOut:
    return AnswerOut(
        answer=answer.text,
        stage=answer.stage,
        fault=answer.fault,
        used=[memory_out(source.memory) for source in answer.used],
        sources=[memory_out(source.memory) for source in answer.sources],
    )


def _filter(body: SearchMemories) -> SearchFilter:
    since, until = window_of(body.since, body.until, body.utc_offset_hours)
    return SearchFilter(
        since=since,
        until=until,
        kinds=frozenset(body.kinds),
        conversation=encode(body.conversation_id) if body.conversation_id else "",
    )


def _hit(space: Namespace, recalled: Recalled, *, explain: bool) -> Hit:
    candidate = recalled.candidate
    return Hit(
        memory=memory_out(recalled.memory),
        user_id=user_id_of(space),
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
