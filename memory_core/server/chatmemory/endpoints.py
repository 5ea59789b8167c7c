"""ChatMemory's endpoints for history, summaries, knowledge and diaries."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Annotated

from fastapi import BackgroundTasks, Depends, Query, Request

from ...domain.errors import LLMInterrupted
from ...domain.namespaces import Namespace, Scope, encode
from ...domain.records import MemoryKind
from ...infra.calendar_time import is_day_within
from ...infra.deadlines import Deadline
from ...infra.lru_cache import LRUCache
from ...memory.runtime import Runtime
from ...storage.listing import Order, SessionQuery
from ..errors import GATEWAY_TIMEOUT, NOT_FOUND, RequestRefused
from ..memory_access import remember_fact
from ..rest.owners import Owners, user_id_of
from ..rest.shapes import MOST_RESULTS, Name, Time, refuse_exchanged, seconds, window_of
from .notes import DiaryPage, Notes, numeric_id
from .session_log import FOREIGN_ROLE, SessionLog, SessionMessage
from .shapes import (
    AddHistory,
    AddKnowledge,
    Day,
    Diaries,
    DiaryOut,
    History,
    HistoryMessageOut,
    KnowledgeList,
    KnowledgeOut,
    RowLimit,
    SessionIds,
    SessionOut,
    Sessions,
    Status,
    Summaries,
    SummaryOut,
    UpsertDiary,
    WithinSeconds,
    naive_utc,
)
from .summaries import StoredSummaries, SummaryQueue

_MODEL_LATE = (
    "the language model did not write the summary within {:g} s (llm.timeout_s); until it does, "
    "the summary quotes the session. Try again later"
)
_BEFORE = "Messages before this time. A day means its first moment: its messages do not count."
_MAX_KNOWN = 4096  # users whose last session is kept in mind


@dataclass(frozen=True)
class HistoryFilter:
    """The parameters of GET /history; `since` and `until` take precedence over the seconds."""

    user_id: Name = ""
    session_id: Name = ""
    channel: Name = ""
    within_seconds: WithinSeconds = 0
    since: Time | None = None
    until: Annotated[Time | None, Query(description=_BEFORE)] = None

    def __post_init__(self) -> None:
        window_of(self.since, self.until)

    def query(self, now: float) -> SessionQuery:
        since, until = seconds(self.since), seconds(self.until)
        if self.within_seconds > 0 and since is None and until is None:
            since = now - self.within_seconds
        return SessionQuery(channel=self.channel, since=since, until=until)


@dataclass(frozen=True)
class DiaryFilter:
    """The parameters of GET /diary; both days of the range belong to it."""

    user_id: Name = ""
    diary_date: Day | None = None
    since: Day | None = None
    until: Day | None = None
    limit: RowLimit = MOST_RESULTS

    def __post_init__(self) -> None:
        refuse_exchanged(self.since, self.until)

    @property
    def names_days(self) -> bool:
        return any((self.diary_date, self.since, self.until))

    def matches(self, page: DiaryPage) -> bool:
        is_named = self.diary_date in (None, page.day)
        return is_named and is_day_within(page.day, self.since, self.until)


class Endpoints:
    """All endpoints except /search. Each works only on data that its caller may see."""

    def __init__(self, runtime: Runtime, owners: Owners) -> None:
        self._runtime = runtime
        self._owners = owners
        self.sessions = SessionLog(runtime)
        self.notes = Notes(runtime)
        self.summaries = StoredSummaries(runtime, self.sessions)
        self._last_written: LRUCache[Namespace, str] = LRUCache(_MAX_KNOWN)
        self._queue = SummaryQueue(runtime, self.summaries)

    def add_history(
        self, request: Request, body: AddHistory, background: BackgroundTasks
    ) -> Status:
        """Adds messages to a session. When a new session begins, the last one is summarised.

        The summary quotes the session at once; the model's takes its place when it is written.
        """
        namespace = self._owners.namespace(request, body.user_id)
        is_new_user = self._owners.existing(request, body.user_id) is None
        previous = "" if is_new_user else self._written_last(namespace)
        self.sessions.add(namespace, body.session_id, body.messages, body.channel or "")
        self._last_written.put(namespace, body.session_id)
        if previous and previous != body.session_id:
            background.add_task(self._summarise_ended, namespace, previous)
        return Status(status="ok")

    def _written_last(self, namespace: Namespace) -> str:
        """Returns the session of the last call; after a start, that of the latest message.

        A session that is copied from elsewhere has messages of earlier times.
        """
        return self._last_written.get(namespace) or self.sessions.latest_session(namespace)

    def _summarise_ended(self, namespace: Namespace, session_id: str) -> None:
        self.summaries.create_extract(namespace, session_id)
        if self._runtime.models.background is not None:
            self._queue.add(namespace, session_id)

    def get_history(self, request: Request, wanted: Annotated[HistoryFilter, Depends()]) -> History:
        """Returns up to 1000 messages of a user or a session, the oldest first.

        With `since` these are the first 1000 from then on, else the last 1000.
        """
        query = wanted.query(self._runtime.clock())
        order = Order.NEWEST if wanted.since is None else Order.OLDEST
        found = [
            _message_out(namespace, message)
            for namespace in self._spaces(request, wanted.user_id, wanted.session_id)
            for message in self.sessions.messages(namespace, wanted.session_id, query, order)
        ]
        is_newest = order is Order.NEWEST
        return History(messages=found[-MOST_RESULTS:] if is_newest else found[:MOST_RESULTS])

    def delete_history(
        self,
        request: Request,
        user_id: Name = "",
        session_id: Name = "",
        channel: Name = "",
    ) -> Status:
        """Forgets the messages that match all filters; a user or a session must be named."""
        for namespace in self._spaces(request, user_id, session_id):
            said = self.sessions.exchanges(namespace, session_id, SessionQuery(channel=channel))
            self.notes.forget(namespace, [exchange.id for exchange in said])
        return Status(status="history deleted")

    def session_ids(self, request: Request, user_id: Name) -> SessionIds:
        """Lists the ids of a user's sessions, the latest first."""
        namespace = self._owners.existing(request, user_id)
        return SessionIds(session_ids=self.sessions.session_ids(namespace) if namespace else [])

    def list_sessions(
        self,
        request: Request,
        user_id: Name,
        within_seconds: WithinSeconds = 3600,
        limit: RowLimit = 5,
    ) -> Sessions:
        """Lists a user's latest sessions with the time and channel of their last message."""
        namespace = self._owners.existing(request, user_id)
        if namespace is None:
            return Sessions(sessions=[])
        since = self._runtime.clock() - within_seconds if within_seconds > 0 else 0.0
        chosen = islice(self.sessions.last_messages(namespace, since), limit)
        return Sessions(sessions=[_session_out(namespace, message) for message in chosen])

    def create_summary(
        self,
        request: Request,
        user_id: Name,
        session_id: Name = "",
        overwrite: bool = False,
        max_count: RowLimit = 10,
    ) -> Status:
        """Summarises a session, or those without a summary but the latest."""
        namespace = self._owners.existing(request, user_id)
        if session_id and (namespace is None or not self.sessions.has(namespace, session_id)):
            message = f"{user_id or 'this user'} has no session {session_id!r}"
            raise RequestRefused(message, status=NOT_FOUND, param="session_id")
        if namespace:
            names = (
                [session_id]
                if session_id
                else self.summaries.missing(namespace, overwrite=overwrite)
            )
            self._summarise(namespace, names[:max_count], overwrite=overwrite)
        return Status(status="summary created")

    def _summarise(self, namespace: Namespace, names: Sequence[str], *, overwrite: bool) -> None:
        """Summarises these sessions, in the time that a person waits for the model at most."""
        limit_s = self._runtime.settings.llm.timeout_s
        try:
            self.summaries.create_all(
                namespace, names, overwrite=overwrite, interrupt=Deadline(limit_s)
            )
        except LLMInterrupted as exc:
            raise RequestRefused(_MODEL_LATE.format(limit_s), status=GATEWAY_TIMEOUT) from exc

    def get_summaries(
        self, request: Request, user_id: Name = "", session_id: Name = ""
    ) -> Summaries:
        """Returns up to 1000 summaries of a user or a session, the oldest first."""
        found = [
            SummaryOut(
                created_at=naive_utc(summary.ts),
                session_id=summary.session_id,
                summary=summary.text,
                made_by=summary.made_by,
            )
            for namespace in self._of_summaries(request, user_id, session_id)
            for summary in reversed(self.summaries.current(namespace))
            if session_id in ("", summary.session_id)
        ]
        return Summaries(summaries=found[:MOST_RESULTS])

    def delete_summaries(
        self, request: Request, user_id: Name = "", session_id: Name = ""
    ) -> Status:
        """Forgets summaries; a user or a session must be named."""
        for namespace in self._of_summaries(request, user_id, session_id):
            if session_id:
                found = self.summaries.current(namespace)
                ids = [id for one in found if one.session_id == session_id for id in one.ids]
            else:
                ids = [note.id for note in self.notes.of_kind(namespace, MemoryKind.SUMMARY)]
            self.notes.forget(namespace, ids)
        return Status(status="summaries deleted")

    def add_knowledge(self, request: Request, body: AddKnowledge) -> Status:
        """Adds knowledge about a user."""
        namespace = self._owners.namespace(request, body.user_id)
        remember_fact(self._runtime, namespace, body.knowledge)
        return Status(status="knowledge added")

    def get_knowledge(self, request: Request, user_id: Name) -> KnowledgeList:
        """Returns all knowledge about a user, the oldest first."""
        namespace = self._owners.existing(request, user_id)
        notes = self.notes.of_kind(namespace, MemoryKind.KNOWLEDGE) if namespace else []
        found = [
            KnowledgeOut(
                created_at=naive_utc(note.ts),
                knowledge=note.text,
                id=numeric_id(note.id),
                user_id=user_id,
            )
            for note in reversed(notes)
        ]
        return KnowledgeList(knowledge=found)

    def delete_knowledge(
        self, request: Request, user_id: Name, knowledge_id: int | None = None
    ) -> Status:
        """Forgets one piece of knowledge about a user, or all of it."""
        namespace = self._owners.existing(request, user_id)
        if namespace is not None:
            notes = self.notes.of_kind(namespace, MemoryKind.KNOWLEDGE)
            ids = [n.id for n in notes if knowledge_id in (None, numeric_id(n.id))]
            self.notes.forget(namespace, ids)
        return Status(status="knowledge deleted")

    def upsert_diary(self, request: Request, body: UpsertDiary) -> Status:
        """Writes the diary of a user's day, in place of an earlier text."""
        created_at = seconds(body.created_at)
        try:
            self.notes.upsert_diary(
                self._owners.namespace(request, body.user_id),
                body.diary_date,
                body.content,
                body.metadata,
                self._runtime.clock() if created_at is None else created_at,
            )
        except ValueError as exc:  # the first or the last day of the calendar
            raise RequestRefused(str(exc), param="diary_date") from exc
        return Status(status="diary upserted")

    def get_diary(self, request: Request, wanted: Annotated[DiaryFilter, Depends()]) -> Diaries:
        """Returns the diary of a user, or of some days, the latest day first."""
        found = [
            (namespace, page)
            for namespace in self._of_diary(request, wanted.user_id, has_day=wanted.names_days)
            for page in self.notes.diaries(namespace)
            if wanted.matches(page)
        ]
        found.sort(key=lambda one: one[1].day, reverse=True)
        return Diaries(diaries=[_diary_out(*one) for one in found[: wanted.limit]])

    def delete_diary(
        self, request: Request, user_id: Name = "", diary_date: Day | None = None
    ) -> Status:
        """Forgets the diary of a user, of a day, or of a user's day."""
        for namespace in self._of_diary(request, user_id, has_day=diary_date is not None):
            pages = self.notes.diaries(namespace)
            self.notes.forget(namespace, [p.id for p in pages if diary_date in (None, p.day)])
        return Status(status="diary deleted")

    def _of_diary(self, request: Request, user_id: str, *, has_day: bool) -> Sequence[Namespace]:
        if user_id:
            return self._spaces(request, user_id, "")
        if not has_day:
            raise RequestRefused("either user_id or a day must be given", param="user_id")
        return self._visible(request)

    def _spaces(self, request: Request, user_id: str, session_id: str) -> Sequence[Namespace]:
        """Returns the namespaces that a call names. Raises RequestRefused if it names none."""
        if user_id:
            found = self._owners.existing(request, user_id)
            return [found] if found else []
        if not session_id:
            raise RequestRefused("either user_id or session_id must be given", param="user_id")
        return self._visible(request)

    def _of_summaries(self, request: Request, user_id: str, session_id: str) -> Sequence[Namespace]:
        """Returns the namespaces that have the session; all, as an import may have no messages."""
        spaces, log = self._spaces(request, user_id, session_id), encode(session_id)
        return [space for space in spaces if self._runtime.memory.has_log(space, log)] or spaces

    def _visible(self, request: Request) -> Sequence[Namespace]:
        visible = self._owners.visible(request)
        return [space for space in visible if space.scope is Scope.INSTRUCT]


def _message_out(namespace: Namespace, message: SessionMessage) -> HistoryMessageOut:
    metadata = {key: value for key, value in message.turn.metadata.items() if key != FOREIGN_ROLE}
    return HistoryMessageOut(
        created_at=naive_utc(message.turn.ts),
        role=message.role,
        content=message.turn.text,
        metadata=metadata,
        user_id=user_id_of(namespace),
        session_id=message.session_id,
        channel=message.channel or None,
    )


def _session_out(namespace: Namespace, message: SessionMessage) -> SessionOut:
    return SessionOut(
        created_at=naive_utc(message.turn.ts),
        user_id=user_id_of(namespace),
        session_id=message.session_id,
        channel=message.channel or None,
    )


def _diary_out(namespace: Namespace, page: DiaryPage) -> DiaryOut:
    return DiaryOut(
        created_at=naive_utc(page.created_at),
        user_id=user_id_of(namespace),
        diary_date=page.day,
        content=page.text,
        metadata=dict(page.metadata),
    )
