"""Summarises sessions that have ended; one that is resumed is summarised again."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import zip_longest

from ..config.consolidation_settings import ConsolidationSettings
from ..domain.derivations import EXTRACTIVE, Derivation
from ..domain.records import Memory, MemoryKind
from ..memory.derived_memories import NewDerived
from ..memory.namespace_memory import NamespaceMemory
from ..recall.session_groups import (
    SESSION_KEY,
    Session,
    group_into_sessions,
    session_around,
    with_keywords,
)
from ..storage.contract import DerivedFilter
from ..storage.log.events import Event, EventType
from ..storage.log.projection import MemoryRecord, MemoryStatus
from ..text.prompt_files import PromptBook
from .chunked_summary import ChunkedSummariser
from .contract import CHANGING_EVENTS, JobModel, Task

# A key is the id of a session's last exchange, or a prefix and the id of any of its exchanges.
_CHANGED, _ANEW = "changed ", "anew "
_MIN_EXCHANGES = 2
_WHOLE_CHAT = 1_000_000
REPLACED, _KEPT = "replaced", "kept"  # in a task's details


class SessionSummaries:
    """One summary for each session of at least two exchanges, made once the session has ended."""

    name = "session_summary"

    def __init__(
        self,
        *,
        settings: ConsolidationSettings,
        pause_s: float,
        prompts: PromptBook | None = None,
    ) -> None:
        """A session ends after `pause_s` seconds without a message."""
        self._pause_s = pause_s
        self._reader = ChunkedSummariser(settings=settings, prompts=prompts)

    def keys(self, events: Sequence[Event]) -> Iterable[str]:
        changed = (_CHANGED + event.id for event in events if event.op in CHANGING_EVENTS)
        return list(dict.fromkeys([*_ends_of_sessions(events, self._pause_s), *changed]))

    def keys_of_all(self, opened: NamespaceMemory, now: float, limit: int) -> list[str]:
        """Returns keys that make the summaries of the latest ended sessions again.

        Sessions without a summary get no key: they are due anyway, or their summary was forgotten.
        """
        logs = opened.event_log.logs()
        ended = [
            session
            for session in self.sessions_of(opened, *filter(None, logs))
            if len(session.memories) >= _MIN_EXCHANGES and session.last_said + self._pause_s <= now
        ]
        return [_ANEW + session.ids[-1] for session in ended[:limit]]

    def sessions_of(self, opened: NamespaceMemory, *logs: str) -> list[Session]:
        """Returns the sessions of these conversations, the latest first."""
        exchanges = [memory for log in logs for memory in _exchanges(opened, log)]
        return group_into_sessions(exchanges, pause_s=self._pause_s)

    def prepare(self, opened: NamespaceMemory, key: str) -> Task | None:
        memory_id = key.removeprefix(_CHANGED).removeprefix(_ANEW)
        record = opened.records([memory_id]).get(memory_id)
        session = self._session(opened, record) if record else None
        if record is None or session is None or len(session.memories) < _MIN_EXCHANGES:
            return None
        if key == memory_id and _is_continued(record, session):
            return None
        made = summaries_of(opened, session)
        current = [one for one in made if is_written(one) and covers(one, session)]
        if current and made == current and not key.startswith(_ANEW):
            return None
        kept = () if key.startswith(_ANEW) else tuple(current[:1])
        task = self.task_of(opened, session)
        return replace(
            task,
            key=key,
            details={**task.details, _KEPT: kept},
            not_before=session.last_said + self._pause_s,
        )

    def task_of(self, opened: NamespaceMemory, session: Session) -> Task:
        """Returns the job that makes this session's summary again, whether or not it is due."""
        found = opened.records(session.ids)
        return Task(
            key=session.ids[-1],
            records={name: found[name] for name in session.ids},
            details={REPLACED: tuple(one.id for one in summaries_of(opened, session)), _KEPT: ()},
        )

    def run(self, task: Task, model: JobModel) -> Sequence[NewDerived]:
        memories = [record.memory for record in task.records.values()]
        if kept := task.details[_KEPT]:  # stays alone, because its sources were restored
            return [_summary(task, kept[0].text, kept[0].derived or Derivation())]
        (session,) = group_into_sessions(memories, pause_s=float("inf"))
        summary = self._reader.summarise(session.memories, model)
        if not summary.text:
            return []
        derived = Derivation(
            made_by=model.name,
            key=SESSION_KEY,
            value=summary.keyword_list,
            event_from=session.started,
            event_to=session.last_said,
        )
        return [_summary(task, with_keywords(summary.text, summary.keyword_list), derived)]

    def _session(self, opened: NamespaceMemory, record: MemoryRecord) -> Session | None:
        memory = record.memory
        if memory.exchange is None or not memory.conversation:
            return None
        exchanges = _exchanges(opened, memory.conversation)
        return session_around(memory, exchanges, pause_s=self._pause_s)


def _summary(task: Task, text: str, derived: Derivation) -> NewDerived:
    return NewDerived(
        kind=MemoryKind.SUMMARY,
        text=text,
        sources=task.sources,
        derived=derived,
        replaces=task.details[REPLACED],
    )


def _exchanges(opened: NamespaceMemory, log: str) -> list[Memory]:
    """Returns the live exchanges that come from this conversation, without repeats."""
    shown = opened.query_without_forgotten(
        lambda store: store.catalog.conversation(log, _WHOLE_CHAT)
    )
    return [
        memory
        for memory in shown
        if memory.conversation == log
        and memory.exchange is not None
        and not memory.exchange.is_repeat
    ]


def summaries_of(opened: NamespaceMemory, session: Session) -> list[Memory]:
    """Returns the summaries of this session, or of a part of it."""
    only = DerivedFilter(
        kinds=frozenset({MemoryKind.SUMMARY}), sources=frozenset(session.ids), key=SESSION_KEY
    )
    return opened.find_derived(only)


def covers(summary: Memory, session: Session) -> bool:
    """Returns whether a summary was made of exactly this session."""
    return set(summary.sources) == set(session.ids)


def is_written(summary: Memory) -> bool:
    """Returns whether a model wrote the summary, which then needs no better one."""
    return summary.derived is None or summary.derived.made_by != EXTRACTIVE


def _is_continued(record: MemoryRecord, session: Session) -> bool:
    """Returns whether the session went on after this exchange, which then needs no own job."""
    is_live = record.status is MemoryStatus.LIVE
    return is_live and (record.memory.ts or 0.0) < session.last_said


def _ends_of_sessions(events: Sequence[Event], pause_s: float) -> list[str]:
    """Returns the ids of the last new exchange of each session, oldest first."""
    new = [event for event in events if event.op is EventType.ADD and event.ts is not None]
    new.sort(key=lambda event: event.ts or 0.0)
    return [
        event.id
        for event, later in zip_longest(new, new[1:])
        if later is None or (later.ts or 0.0) - (event.ts or 0.0) > pause_s
    ]
