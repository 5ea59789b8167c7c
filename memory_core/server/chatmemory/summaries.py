"""Summaries of sessions by the model, else of their own sentences, with a mark.

A session that continues after a long pause has a summary for each part.
"""

import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, wait
from contextlib import contextmanager, suppress
from dataclasses import dataclass

from ...consolidation.assembly import run_in_foreground
from ...consolidation.contract import Task
from ...consolidation.registry import build_session_summaries
from ...consolidation.session_summaries import (
    REPLACED,
    SessionSummaries,
    covers,
    is_written,
    summaries_of,
)
from ...domain.derivations import EXTRACTIVE, Derivation
from ...domain.errors import LLMInterrupted, LLMUnavailable, LongTermMemoryError, SourcesChanged
from ...domain.namespaces import Namespace, encode
from ...domain.records import Memory, MemoryKind
from ...infra.deadlines import NEVER, Interrupt, start_in_thread
from ...memory.derived_memories import DerivedMemories, NewDerived
from ...memory.runtime import Runtime
from ...prompt.session_extract import summarise_session
from ...recall.session_groups import SESSION_KEY, Session, without_keywords
from ...storage.contract import DerivedFilter
from ...storage.log.projection import MemoryRecord
from ...text.excerpts import excerpt
from .session_log import SessionLog, session_of

PART = "server.summaries"
_LETTERS = 600
_CLOSING_S = 5.0
_POLL_S = 0.05
_AND = ", "  # between the makers of one session's summary
_BY_CLIENT = "client"  # a note that a client wrote as a session's summary
_SUMMARIES = DerivedFilter(kinds=frozenset({MemoryKind.SUMMARY}))


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionSummary:
    """The summary of a session, whose id is as the client named it. `parts`: the oldest first."""

    session_id: str
    parts: tuple[Memory, ...]

    @property
    def text(self) -> str:
        return "\n".join(map(without_keywords, self.parts))

    @property
    def made_by(self) -> str:
        """The model's name, or EXTRACTIVE; several if the parts differ."""
        makers = (part.derived.made_by for part in self.parts if part.derived)
        return _AND.join(dict.fromkeys(filter(None, makers))) or _BY_CLIENT

    @property
    def ts(self) -> float | None:
        return self.parts[-1].ts

    @property
    def ids(self) -> list[str]:
        return [part.id for part in self.parts]


class StoredSummaries:
    """Writes and reads the summaries of one user at a time.

    Two summaries of one session are never made at once, else both would stay.
    """

    def __init__(self, runtime: Runtime, sessions: SessionLog) -> None:
        self._runtime = runtime
        self._sessions = sessions
        self._derived = DerivedMemories(runtime.memory)
        self._freed = threading.Condition()
        self._busy: set[tuple[Namespace, str]] = set()

    def create(
        self,
        namespace: Namespace,
        session_id: str,
        *,
        overwrite: bool = False,
        interrupt: Interrupt = NEVER,
    ) -> None:
        """Summarises a session, unless it has a summary by a model that is up to date.

        Raises LLMInterrupted if the interrupt comes before the model's answer: then the summary
        quotes the session, unless the session is being summarised elsewhere.
        """

        def is_done(summary: Memory) -> bool:
            return is_written(summary) and not overwrite

        interrupted: LLMInterrupted | None = None
        with self._alone(namespace, session_id, interrupt):
            for part, task in self._due(namespace, session_id, is_done):
                try:
                    made = self._summarise_by_model(namespace, task, interrupt)
                except LLMInterrupted as exc:
                    made, interrupted = [], exc
                self._add(namespace, made or _extract(part, task))
        if interrupted:
            raise interrupted

    def create_extract(self, namespace: Namespace, session_id: str) -> None:
        """Summarises a session with its own sentences, unless it has a summary.

        Does not wait for the model, which may be summarising this session just now.
        """
        if (namespace, session_id) in self._busy:
            return
        with self._alone(namespace, session_id):
            for part, task in self._due(namespace, session_id, lambda _: True):
                self._add(namespace, _extract(part, task))

    def create_all(
        self,
        namespace: Namespace,
        session_ids: Sequence[str],
        *,
        overwrite: bool,
        interrupt: Interrupt,
    ) -> None:
        """Summarises sessions. Raises LLMInterrupted as create() does, once all are summarised."""
        interrupted: LLMInterrupted | None = None
        for name in session_ids:
            try:
                self.create(namespace, name, overwrite=overwrite, interrupt=interrupt)
            except LLMInterrupted as exc:
                interrupted = exc
        if interrupted:
            raise interrupted

    def missing(self, namespace: Namespace, *, overwrite: bool) -> list[str]:
        """Returns the sessions to summarise, without the one that was written to last."""
        latest = self._sessions.latest_session(namespace)
        names = [name for name in self._sessions.session_ids(namespace) if name != latest]
        makers = {summary.session_id: summary.made_by for summary in self.current(namespace)}
        if not overwrite:  # those without any summary first
            names = [n for n in names if EXTRACTIVE in makers.get(n, EXTRACTIVE).split(_AND)]
            names.sort(key=lambda name: name in makers)
        return names

    def current(self, namespace: Namespace) -> list[SessionSummary]:
        """Returns the sessions' summaries, the latest first."""
        notes = [note for note in self._derived.find(namespace, _SUMMARIES) if _is_of_session(note)]
        notes.sort(key=lambda note: note.ts or 0.0)
        sources = [source for note in notes for source in note.sources[:1]]
        records = self._runtime.memory.get_records(namespace, sources)
        parts: dict[str, list[Memory]] = {}
        for note in notes:
            parts.setdefault(_session_id(note, records), []).append(note)
        found = [SessionSummary(session_id=name, parts=tuple(own)) for name, own in parts.items()]
        return sorted(found, key=lambda summary: -(summary.ts or 0.0))

    @contextmanager
    def _alone(
        self, namespace: Namespace, session_id: str, interrupt: Interrupt = NEVER
    ) -> Iterator[None]:
        """Waits until nobody else summarises this session, and keeps others from it."""
        key = namespace, session_id
        with self._freed:
            while key in self._busy:
                if interrupt.is_set():
                    raise LLMInterrupted(f"session {session_id!r} is being summarised just now")
                self._freed.wait(_POLL_S)
            self._busy.add(key)
        try:
            yield
        finally:
            with self._freed:
                self._busy.discard(key)
                self._freed.notify_all()

    def _due(
        self, namespace: Namespace, session_id: str, is_enough: Callable[[Memory], bool]
    ) -> list[tuple[Session, Task]]:
        """Returns the parts of a session that have no summary which is up to date and enough."""
        worker = self._worker()
        with self._runtime.memory.open_namespace(namespace) as opened:
            return [
                (part, worker.task_of(opened, part))
                for part in worker.sessions_of(opened, encode(session_id))
                if not any(covers(s, part) and is_enough(s) for s in summaries_of(opened, part))
            ]

    def _add(self, namespace: Namespace, summaries: Iterable[NewDerived]) -> None:
        with suppress(SourcesChanged):  # the session continues, and is summarised again
            for summary in summaries:
                self._derived.add(namespace, summary)
        self._runtime.schedule(namespace)

    def _worker(self) -> SessionSummaries:
        return build_session_summaries(self._runtime.settings, self._runtime.models.prompts)

    def _summarise_by_model(
        self, namespace: Namespace, task: Task, interrupt: Interrupt
    ) -> list[NewDerived]:
        """Returns the model's summary; none if there is no model, or no usable answer.

        Raises LLMInterrupted.
        """
        try:
            results = run_in_foreground(self._runtime, namespace, self._worker(), task, interrupt)
        except LLMInterrupted:
            raise
        except LLMUnavailable:
            return []
        return [result for result in results if isinstance(result, NewDerived)]


def _is_of_session(note: Memory) -> bool:
    """Returns whether a summary is of a session, not of an exchange or of a part of a long chat."""
    is_derived = note.derived is not None and note.derived.key == SESSION_KEY
    return bool(note.conversation) or (is_derived and bool(note.sources))


def _session_id(note: Memory, records: Mapping[str, MemoryRecord]) -> str:
    source = records.get(note.sources[0]) if note.sources else None
    return session_of(source.memory if source else note)


def _has_words(memory: Memory) -> bool:
    said = memory.exchange
    return bool(said and f"{said.user}{said.assistant}".strip())


def _extract(part: Session, task: Task) -> list[NewDerived]:
    """Returns a summary of the session's own sentences; none for a session without words."""
    first = next(filter(_has_words, part.memories), None)
    if first is None:
        return []
    text = summarise_session(part, limit=_LETTERS) or excerpt(first.text, _LETTERS)
    derived = Derivation(
        made_by=EXTRACTIVE, key=SESSION_KEY, event_from=part.started, event_to=part.last_said
    )
    made = NewDerived(
        kind=MemoryKind.SUMMARY,
        text=text,
        sources=task.sources,
        derived=derived,
        replaces=task.details[REPLACED],
    )
    return [made]


class SummaryQueue:
    """Summarises sessions that have ended, one after another, in a thread that no call waits for.

    Holds each session once. The thread ends when nothing waits, or the program ends.
    """

    def __init__(self, runtime: Runtime, summaries: StoredSummaries) -> None:
        self._runtime = runtime
        self._summaries = summaries
        self._lock = threading.Lock()
        self._waiting: dict[tuple[Namespace, str], None] = {}
        self._running: Future[None] | None = None
        self._ends = threading.Event()
        runtime.add_closing_duty(self._finish)

    def add(self, namespace: Namespace, session_id: str) -> None:
        with self._lock:
            self._waiting[namespace, session_id] = None
            if self._running is None:
                self._running = start_in_thread(self._work)

    def _work(self) -> None:
        while following := self._take():
            try:
                self._summaries.create(*following, interrupt=self._ends)
                self._runtime.clear(PART)
            except LLMInterrupted:
                pass  # the program ends
            except LongTermMemoryError as exc:
                self._runtime.report(PART, f"a session was not summarised: {exc}")
            except Exception as exc:  # noqa: BLE001  (as with every background job)
                self._runtime.report_bug("a summary of a session failed", exc)

    def _take(self) -> tuple[Namespace, str] | None:
        with self._lock:
            if not self._waiting or self._ends.is_set():
                self._running = None
                return None
            following = next(iter(self._waiting))
            del self._waiting[following]
            return following

    def _finish(self) -> None:
        """Stops the model, and waits until nothing writes any more."""
        self._ends.set()
        with self._lock:
            running = self._running
        if running is not None:
            wait([running], timeout=_CLOSING_S)
