"""The traces of the last turns, for the viewer, without the words of forgotten memories."""

import threading
from collections import deque
from collections.abc import Collection
from dataclasses import dataclass, field, replace
from typing import Protocol

from ..domain.namespaces import Namespace
from ..recall.results import Dropped, Recall, Recalled
from .forgetting import Forgotten


@dataclass(frozen=True, slots=True, kw_only=True)
class Injected:
    """One memory in the prompt: its exact text, and its cost in tokens."""

    memory_id: str
    form: str
    text: str
    tokens: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Trace:
    """A record of one turn's recall, for the viewer. Incognito chats leave none.

    `chat_tokens` are those of the chat itself, of `limit_tokens` in all. `may_be_saved` is False
    for messages that nothing may keep on disk. `is_redacted`: words of it were forgotten.
    """

    ts: float
    user: str
    character: str
    conversation: str
    query: str
    mode: str = ""
    recall: Recall = field(default_factory=Recall)
    dropped: tuple[Dropped, ...] = ()
    injected: tuple[Injected, ...] = ()
    injected_text: str = ""
    system_block: str = ""
    tokens: int = 0
    skipped: str = ""
    notes: tuple[str, ...] = ()
    added_ms: float = 0.0
    limit_tokens: int = 0
    chat_tokens: int = 0
    may_be_saved: bool = False
    is_redacted: bool = False

    @property
    def memory_ids(self) -> frozenset[str]:
        """The ids of all memories that this trace shows."""
        recalled = {result.memory.id for result in self.recall.kept}
        dropped = {drop.candidate.memory.id for drop in (*self.recall.dropped, *self.dropped)}
        injected = {name for part in self.injected for name in part.memory_id.split()}
        return frozenset(recalled | dropped | injected)


class SavesTraces(Protocol):
    """Keeps traces on disk; saved_traces.TraceSaver implements it."""

    def add(self, namespace: Namespace, trace: Trace) -> None: ...

    def save(self) -> None: ...

    def read(self, namespace: Namespace) -> list[Trace]: ...

    def redact(
        self, namespace: Namespace, ids: Collection[str], messages: Collection[str]
    ) -> None: ...

    def drop(self, namespace: Namespace) -> None: ...


class _SavesNothing:
    def add(self, namespace: Namespace, trace: Trace) -> None: ...

    def save(self) -> None: ...

    def read(self, namespace: Namespace) -> list[Trace]:
        return []

    def redact(
        self, namespace: Namespace, ids: Collection[str], messages: Collection[str]
    ) -> None: ...

    def drop(self, namespace: Namespace) -> None: ...


class Traces:
    """Keeps the newest traces in memory, and some of them on disk. Safe for many threads."""

    def __init__(self, keep: int, saver: SavesTraces | None = None) -> None:
        self._lock = threading.Lock()
        self._saver = saver or _SavesNothing()
        self._traces: deque[tuple[Namespace, Trace]] = deque(maxlen=keep)

    def add(self, namespace: Namespace, trace: Trace) -> None:
        with self._lock:
            self._traces.append((namespace, trace))
        self._saver.add(namespace, trace)

    def save(self) -> None:
        """Saves what may be saved, outside the prompt's path: the writer calls this."""
        self._saver.save()

    def latest(self, namespace: Namespace | None = None) -> list[Trace]:
        """Returns the traces of one namespace, saved ones too, or of all; newest first."""
        with self._lock:
            traces = list(self._traces)
        recent = [trace for space, trace in reversed(traces) if namespace in (None, space)]
        return recent if namespace is None else [*recent, *self._saved(namespace, recent)]

    def _saved(self, namespace: Namespace, recent: Collection[Trace]) -> list[Trace]:
        """Returns those on disk besides the recent ones; the folder may have had another name."""
        known = {trace.ts for trace in recent}
        name = namespace.character or namespace.scope
        older = (trace for trace in reversed(self._saver.read(namespace)) if trace.ts not in known)
        return [replace(trace, user=namespace.user, character=name) for trace in older]

    def resize(self, keep: int) -> None:
        with self._lock:
            self._traces = deque(self._traces, maxlen=keep)

    def move(self, namespace: Namespace, new: Namespace) -> None:
        """Assigns the traces of one namespace to another."""
        name = new.character or new.scope
        with self._lock:
            moved = {
                index: replace(trace, user=new.user, character=name)
                for index, (space, trace) in enumerate(self._traces)
                if space == namespace
            }
            traces = [
                (new, moved[index]) if index in moved else pair
                for index, pair in enumerate(self._traces)
            ]
            self._traces = deque(traces, maxlen=self._traces.maxlen)
        for trace in moved.values():
            self._saver.add(new, trace)

    def drop_all(self, namespace: Namespace) -> None:
        with self._lock:
            traces = [(space, trace) for space, trace in self._traces if space != namespace]
            self._traces = deque(traces, maxlen=self._traces.maxlen)
        self._saver.drop(namespace)

    def redact(
        self, namespace: Namespace, ids: Collection[str], messages: Collection[str] = ()
    ) -> None:
        """Removes the words of these memories, and the traces that answer one of the messages."""
        with self._lock:
            traces = [
                (space, redact(trace, ids))
                for space, trace in self._traces
                if space != namespace or trace.query.strip() not in messages
            ]
            self._traces = deque(traces, maxlen=self._traces.maxlen)
        self._saver.redact(namespace, ids, messages)

    def redact_forgotten(self, forgotten: Forgotten) -> None:
        """Removes the words of memories that were just forgotten."""
        self.redact(forgotten.namespace, forgotten.ids, forgotten.messages)


def redact(trace: Trace, ids: Collection[str]) -> Trace:
    """Returns the trace without the words of these memories; their ids and scores stay."""
    if trace.memory_ids.isdisjoint(ids):
        return trace
    recall = replace(
        trace.recall,
        kept=tuple(_without_words(recalled, ids) for recalled in trace.recall.kept),
        dropped=_others(trace.recall.dropped, ids),
    )
    injected = tuple(
        part if set(part.memory_id.split()).isdisjoint(ids) else replace(part, text="")
        for part in trace.injected
    )
    return replace(
        trace,
        recall=recall,
        dropped=_others(trace.dropped, ids),
        injected=injected,
        injected_text="",
        system_block="",
        is_redacted=True,
    )


def _without_words(recalled: Recalled, ids: Collection[str]) -> Recalled:
    if recalled.memory.id not in ids:
        return recalled
    memory = replace(recalled.memory, text="", exchange=None)
    candidate = replace(recalled.candidate, memory=memory, key="", chat_key="")
    return replace(recalled, candidate=candidate)


def _others(dropped: Collection[Dropped], ids: Collection[str]) -> tuple[Dropped, ...]:
    return tuple(entry for entry in dropped if entry.candidate.memory.id not in ids)
