"""The last turns' traces, for the viewer: in memory only, and never of what was forgotten."""

import threading
from collections import deque
from collections.abc import Callable, Collection
from dataclasses import dataclass, field, replace

from ..domain.namespaces import Namespace
from ..recall.results import Dropped, Recall
from .forgetting import Forgotten


@dataclass(frozen=True, slots=True, kw_only=True)
class Injected:
    """One memory as it stands in the prompt: its exact text and what it cost."""

    memory_id: str
    form: str
    text: str
    tokens: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Trace:
    """All that memory did for one turn, for the viewer; never holds anything of incognito chats."""

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
        """Newest first; of one namespace, or of all."""
        with self._lock:
            kept = list(self._traces)
        return [trace for space, trace in reversed(kept) if namespace in (None, space)]

    def resize(self, keep: int) -> None:
        with self._lock:
            self._traces = deque(self._traces, maxlen=keep)

    def move(self, namespace: Namespace, new: Namespace) -> None:
        """What was told of one is told of the other."""
        name = new.character or new.scope
        with self._lock:
            told = [
                (new, replace(it, user=new.user, character=name))
                if space == namespace
                else (space, it)
                for space, it in self._traces
            ]
            self._traces = deque(told, maxlen=self._traces.maxlen)

    def drop_all(self, namespace: Namespace) -> None:
        with self._lock:
            self._keep_if(lambda space, _: space != namespace)

    def drop_mentions(
        self, namespace: Namespace, ids: Collection[str], said: Collection[str] = ()
    ) -> None:
        """Forgets the turns that show any of these memories, or in which one of them was said."""
        with self._lock:
            self._keep_if(
                lambda space, it: (
                    space != namespace or not (_mentions(it, ids) or it.query.strip() in said)
                )
            )

    def drop_forgotten(self, forgotten: Forgotten) -> None:
        """Forgets what those turns show of what was just forgotten."""
        self.drop_mentions(forgotten.namespace, forgotten.ids, forgotten.messages)

    def _keep_if(self, wanted: Callable[[Namespace, Trace], bool]) -> None:
        kept = [(space, trace) for space, trace in self._traces if wanted(space, trace)]
        self._traces = deque(kept, maxlen=self._traces.maxlen)


def _mentions(trace: Trace, ids: Collection[str]) -> bool:
    recalled = {it.memory.id for it in trace.recall.kept}
    dropped = {it.candidate.memory.id for it in (*trace.recall.dropped, *trace.dropped)}
    injected = {part for it in trace.injected for part in it.memory_id.split()}
    return not (recalled | dropped | injected).isdisjoint(ids)
