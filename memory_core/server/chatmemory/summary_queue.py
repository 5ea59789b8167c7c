"""Summarises sessions that have ended, one after another, in a thread that no call waits for."""

import threading
from concurrent.futures import Future, wait
from typing import Protocol

from ...domain.errors import LLMInterrupted, LongTermMemoryError
from ...domain.namespaces import Namespace
from ...infra.deadlines import Interrupt, start_in_thread
from ...memory.runtime import Runtime

PART = "server.summaries"
_CLOSING_S = 5.0


class Summarise(Protocol):
    def __call__(self, namespace: Namespace, session_id: str, *, interrupt: Interrupt) -> None: ...


class SummaryQueue:
    """Holds each session once. The thread ends when nothing waits, or the program ends."""

    def __init__(self, runtime: Runtime, summarise: Summarise) -> None:
        self._runtime = runtime
        self._summarise = summarise
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
                self._summarise(*following, interrupt=self._ends)
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
