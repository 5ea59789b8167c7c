"""Notices that the memories on a page were changed elsewhere: by a chat, its deletion, background
work or another program.

While the tab is in sight, page.js asks every few seconds whether anything changed. The answer
costs one row of the catalog, and only a change draws the tab again. The page does not ask while
something is typed, ticked or unfolded, because drawing would undo that, nor shortly after a click
or a key: what the click draws could be overwritten by what was asked for before. If somebody clicks
while the tab is drawn, the click wins: the drawing began with the state before it.
"""

import threading
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Any

import gradio as gr

from ....domain.errors import LongTermMemoryError
from ....domain.namespaces import Namespace
from ....infra.lru_cache import LRUCache
from ....memory.runtime import Runtime
from .gradio_compat import quiet

_MAX_PAGES = 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class Drawn:
    """The namespace that a page shows, and the stamp of its content when the page was drawn."""

    namespace: Namespace | None = None
    stamp: str = ""


def drawn_now(runtime: Runtime, namespace: Namespace | None) -> Drawn:
    """Returns the stamp to take before a page is drawn; it changes with the memories and answers.

    It stays the same while they cannot be read, which the head reports.
    """
    with suppress(LongTermMemoryError):
        if namespace is not None and runtime.memory.has_namespace(namespace):
            with runtime.memory.open_namespace(namespace) as opened:
                seq = opened.query(lambda store: store.catalog.summary().last_applied_seq)
            answers = [trace.ts for trace in runtime.traces.latest(namespace)[:1]]
            return Drawn(namespace=namespace, stamp=f"{seq} {answers}")
    return Drawn(namespace=namespace)


class Pulse:
    """Hidden fields: the page writes into one to ask, and the other changes if it must be drawn."""

    def __init__(self, runtime: Runtime) -> None:
        self._runtime = runtime
        hidden: dict[str, Any] = {"elem_classes": "ltm-hidden", "show_label": False}
        self._asked = gr.Textbox(elem_id="ltm-pulse", container=False, **hidden)
        self._changed = gr.Textbox(elem_id="ltm-changed", container=False, **hidden)
        self.drawn = gr.State(Drawn())

    def wire(self) -> Any:  # noqa: ANN401  (an event of Gradio)
        """Answers the page. Returns the event after which the tab must be drawn again."""
        self._asked.change(self.ask, {self.drawn}, [self._changed], queue=False, **quiet())
        return self._changed

    def ask(self, given: Mapping[Any, Any], _: gr.Request) -> list[Any]:
        """Returns a text never returned before if the content has changed since the page was drawn.

        A field that keeps its text would cause no event.
        """
        drawn: Drawn = given[self.drawn]
        now = drawn_now(self._runtime, drawn.namespace)
        return [gr.skip() if now == drawn else str(time.time_ns())]


class Clicks:
    """Counts the handlers of each page, by Gradio's hash of its session. Safe for many threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._running: Counter[str] = Counter()
        self._ended: LRUCache[str, int] = LRUCache(_MAX_PAGES)

    @contextmanager
    def handling(self, page: str | None) -> Iterator[None]:
        """Marks the time in which a click is handled."""
        key = page or ""
        with self._lock:
            self._running[key] += 1
        try:
            yield
        finally:
            with self._lock:
                self._ended.put(key, (self._ended.get(key) or 0) + 1)
                self._running[key] -= 1
                if not self._running[key]:
                    del self._running[key]

    def count(self, page: str | None) -> int | None:
        """Returns the number of clicks handled so far; None while one is handled."""
        key = page or ""
        with self._lock:
            return None if key in self._running else self._ended.get(key) or 0
