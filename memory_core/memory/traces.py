"""The traces of the last turns, for the viewer: in memory only, without forgotten memories."""

import threading
from collections import deque
from collections.abc import Callable, Collection
from dataclasses import dataclass, field, replace

from ..domain.namespaces import Namespace
from ..recall.results import Dropped, Recall
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
    """A record of one turn's recall, for the viewer. Incognito chats leave none."""

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


class Traces:
    """Keeps the newest traces. Safe for many threads."""

    def __init__(self, keep: int) -> None:
        self._lock = threading.Lock()
        self._traces: deque[tuple[Namespace, Trace]] = deque(maxlen=keep)

    def add(self, namespace: Namespace, trace: Trace) -> None:
        with self._lock:
            self._traces.append((namespace, trace))

    def latest(self, namespace: Namespace | None = None) -> list[Trace]:
        """Returns the traces of one namespace or of all, newest first."""
        with self._lock:
            traces = list(self._traces)
        return [trace for space, trace in reversed(traces) if namespace in (None, space)]

    def resize(self, keep: int) -> None:
        with self._lock:
            self._traces = deque(self._traces, maxlen=keep)

    def move(self, namespace: Namespace, new: Namespace) -> None:
        """Assigns the traces of one namespace to another."""
        name = new.character or new.scope
        with self._lock:
            traces = [
                (new, replace(trace, user=new.user, character=name))
                if space == namespace
                else (space, trace)
                for space, trace in self._traces
            ]
            self._traces = deque(traces, maxlen=self._traces.maxlen)

    def drop_all(self, namespace: Namespace) -> None:
        with self._lock:
            self._keep_if(lambda space, _: space != namespace)

    def drop_mentions(
        self, namespace: Namespace, ids: Collection[str], messages: Collection[str] = ()
    ) -> None:
        """Drops the traces that show one of these memories, or that answer one of the messages."""
        with self._lock:
            self._keep_if(
                lambda space, trace: (
                    space != namespace
                    or not (_mentions(trace, ids) or trace.query.strip() in messages)
                )
            )

    def drop_forgotten(self, forgotten: Forgotten) -> None:
        """Drops the traces that show memories which were just forgotten."""
        self.drop_mentions(forgotten.namespace, forgotten.ids, forgotten.messages)

    def _keep_if(self, wanted: Callable[[Namespace, Trace], bool]) -> None:
        traces = [(space, trace) for space, trace in self._traces if wanted(space, trace)]
        self._traces = deque(traces, maxlen=self._traces.maxlen)


def _mentions(trace: Trace, ids: Collection[str]) -> bool:
    recalled = {result.memory.id for result in trace.recall.kept}
    dropped = {drop.candidate.memory.id for drop in (*trace.recall.dropped, *trace.dropped)}
    injected = {name for part in trace.injected for name in part.memory_id.split()}
    return not (recalled | dropped | injected).isdisjoint(ids)
