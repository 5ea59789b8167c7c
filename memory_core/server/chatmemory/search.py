"""ChatMemory's /search: an answer from summaries, knowledge and diaries, else from the messages."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, time

from fastapi import Request

from ...consolidation.answers import Answerer
from ...domain.namespaces import Namespace
from ...domain.records import Memory, MemoryKind
from ...infra.calendar_time import is_day_within, is_within
from ...memory.questions import Source
from ...memory.runtime import Runtime
from ...recall.results import Recall, joined
from ...recall.session_groups import without_keywords
from ...storage.contract import SearchFilter
from ...storage.listing import SessionQuery
from ..memory_access import recall_best
from ..rest.owners import Owners
from ..rest.shapes import refuse_exchanged, seconds
from .endpoints import Endpoints
from .session_log import SessionMessage, messages_of
from .shapes import SearchRequest, SearchResponse, SearchResult, naive_utc

_LABELS = {
    MemoryKind.SUMMARY: "Conversation summary",
    MemoryKind.KNOWLEDGE: "Knowledge about user",
}
_RULE = "====\n\n"
_MAX_MESSAGES = 100  # of one session
_MAX_EXCHANGES = _MAX_MESSAGES // 2
_CANDIDATES = 200
_DAY_S = 86_400.0


@dataclass(frozen=True, slots=True, kw_only=True)
class _Found:
    """Memories for the model, and their form in ChatMemory's answer."""

    sources: tuple[Source, ...] = ()
    text: str = ""


class SearchEndpoint:
    """Searches one or several users; the caller must be allowed to act for all of them."""

    def __init__(self, runtime: Runtime, owners: Owners, endpoints: Endpoints) -> None:
        self._runtime = runtime
        self._owners = owners
        self._endpoints = endpoints

    def search(self, request: Request, body: SearchRequest) -> SearchResponse:
        """Answers a question from what is known of the users, and returns what was found.

        Without a language model there is no answer, and `retrieved_data` always comes.
        """
        runtime = self._runtime
        window = _window(body)
        answerer = Answerer.of(runtime.memory, runtime.models, runtime.settings)
        spaces = self._owners.all_existing(request, body.user_id)
        found = self._condensed(spaces, body, window)
        answer = answerer.ask(body.query, found.sources)
        if not found.sources or (body.search_content and not answer.is_enough):
            logs = self._logs(spaces, body, window)
            found = _Found(sources=found.sources + logs.sources, text=found.text + logs.text)
            detailed = answerer.ask(body.query, found.sources)
            answer = detailed if detailed.text or not answer.text else answer
        wants_data = body.include_retrieved_data or answer.fault
        result = SearchResult(
            answer=answer.text or answer.fault, retrieved_data=found.text if wants_data else None
        )
        return SearchResponse(result=result)

    def _condensed(
        self, spaces: Sequence[Namespace], body: SearchRequest, window: SearchFilter
    ) -> _Found:
        """Returns the best summaries, knowledge and diaries."""
        groups = [
            self._best(spaces, body, window, MemoryKind.SUMMARY),
            self._best(spaces, body, window, MemoryKind.KNOWLEDGE),
            self._best_diaries(spaces, body),
        ]
        chosen = [group[: body.top_k] for group in groups if group]
        texts = ("\n".join(line for _, line in group) for group in chosen)
        return _Found(
            sources=tuple(source for group in chosen for source, _ in group),
            text="".join(f"{_RULE}{text}\n\n" for text in texts),
        )

    def _best(
        self,
        spaces: Sequence[Namespace],
        body: SearchRequest,
        window: SearchFilter,
        kind: MemoryKind,
    ) -> list[tuple[Source, str]]:
        """Returns the notes of a kind: those that fit the question first, then the latest."""
        notes = [
            Source(namespace=space, memory=note)
            for space in spaces
            for note in self._notes(space, kind)
            if is_within(note.ts, window.since, window.until)
        ]
        notes.sort(key=lambda source: -(source.memory.ts or 0.0))
        lines = [
            (
                note,
                f"{_LABELS[kind]} ({naive_utc(note.memory.ts)}): {without_keywords(note.memory)}",
            )
            for note in notes
        ]
        return self._ranked(lines, spaces, body, kind)

    def _notes(self, space: Namespace, kind: MemoryKind) -> list[Memory]:
        if kind is MemoryKind.SUMMARY:
            found = self._endpoints.summaries.current(space)
            return [part for summary in found for part in summary.parts]
        return self._endpoints.notes.of_kind(space, kind)

    def _best_diaries(
        self, spaces: Sequence[Namespace], body: SearchRequest
    ) -> list[tuple[Source, str]]:
        lines = [
            (Source(namespace=space, memory=page.memory), f"Diary ({page.day}): {page.text}")
            for space in spaces
            for page in self._endpoints.notes.diaries(space)
            if is_day_within(page.day, body.since, body.until)
        ]
        return self._ranked(lines, spaces, body, MemoryKind.DIARY)

    def _ranked(
        self,
        lines: list[tuple[Source, str]],
        spaces: Sequence[Namespace],
        body: SearchRequest,
        kind: MemoryKind,
    ) -> list[tuple[Source, str]]:
        """Returns the lines whose memories fit the question before the others."""
        if len(lines) < 2:
            return lines
        only = SearchFilter(kinds=frozenset([kind]))
        kept = joined([self._recall(space, body, only) for space in spaces]).kept
        order = {recalled.memory.id: rank for rank, recalled in enumerate(kept)}
        return sorted(lines, key=lambda line: order.get(line[0].memory.id, len(order)))

    def _recall(self, space: Namespace, body: SearchRequest, only: SearchFilter) -> Recall:
        return recall_best(
            self._runtime, space, body.query, limit=_CANDIDATES, search_filter=only, min_share=0.0
        )

    def _logs(
        self, spaces: Sequence[Namespace], body: SearchRequest, window: SearchFilter
    ) -> _Found:
        """Returns the messages of the sessions that fit the question best, else of the latest."""
        text, sources = _RULE.rstrip("\n") + "\n", list[Source]()
        sessions = self._best_sessions(spaces, body, window)
        for space, hit in sessions or self._latest_sessions(spaces, body, window):
            said = _around(hit, self._endpoints.sessions.around(space, hit))
            sources += [Source(namespace=space, memory=memory) for memory in said]
            text += _log_text(messages_of(said)[:_MAX_MESSAGES])
        return _Found(sources=tuple(sources), text=text)

    def _best_sessions(
        self, spaces: Sequence[Namespace], body: SearchRequest, window: SearchFilter
    ) -> list[tuple[Namespace, Memory]]:
        """Returns the best exchange of each session of all users, the best first."""
        kinds = frozenset([MemoryKind.EXCHANGE])
        only = replace(window, kinds=kinds)
        kept = [
            (space, found) for space in spaces for found in self._recall(space, body, only).kept
        ]
        hits: dict[tuple[Namespace, str], Memory] = {}
        for space, recalled in sorted(kept, key=lambda pair: -pair[1].candidate.score):
            hits.setdefault((space, recalled.memory.conversation), recalled.memory)
        return [(space, memory) for (space, _), memory in hits.items()][: body.top_k]

    def _latest_sessions(
        self, spaces: Sequence[Namespace], body: SearchRequest, window: SearchFilter
    ) -> list[tuple[Namespace, Memory]]:
        within = SessionQuery(since=window.since, until=window.until)
        return self._endpoints.sessions.latest_exchanges(spaces, within, body.top_k)


def _around(hit: Memory, said: list[Memory]) -> list[Memory]:
    """Returns the part of a long session in which the exchange was said."""
    position = next((i for i, memory in enumerate(said) if memory.id == hit.id), 0)
    start = max(0, min(position - _MAX_EXCHANGES // 2, len(said) - _MAX_EXCHANGES))
    return said[start : start + _MAX_EXCHANGES]


def _log_text(messages: Sequence[SessionMessage]) -> str:
    if not messages:
        return ""
    lines = "".join(f"  - {said.role}: {said.turn.text}\n" for said in messages)
    return f"\n- Conversation log ({naive_utc(messages[0].turn.ts)}):\n{lines}"


def _window(body: SearchRequest) -> SearchFilter:
    """Returns the time from midnight of the first day to the end of the last day."""
    refuse_exchanged(body.since, body.until)
    since, until = (
        seconds(datetime.combine(day, time.min) if day else None, body.utc_offset_hours)
        for day in (body.since, body.until)
    )
    return SearchFilter(since=since, until=None if until is None else until + _DAY_S)
