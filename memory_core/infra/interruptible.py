"""Waits that end at once when something more urgent comes."""

import threading
from collections.abc import Callable
from concurrent.futures import Future
from typing import Protocol, TypeVar

from .deadlines import start_in_thread

T = TypeVar("T")
_POLL_S = 0.05


class Interrupt(Protocol):
    """Says when to stop waiting: threading.Event has both methods."""

    def is_set(self) -> bool: ...

    def wait(self, timeout: float) -> bool:
        """Waits for at most `timeout` seconds. Returns whether to stop."""
        ...


NEVER: Interrupt = threading.Event()  # nobody sets it


class Interrupted(Exception):
    """The interrupt came before the result."""


def call_until(interrupt: Interrupt, call: Callable[[threading.Event], T]) -> T:
    """Returns the result of `call(abandoned)` or raises its error. Raises Interrupted.

    The call runs in its own thread. After an interrupt it goes on alone until it looks at
    `abandoned`, which is then set.
    """
    abandoned = threading.Event()
    running = start_in_thread(lambda: call(abandoned))
    while not _is_done(running):
        if interrupt.is_set():
            abandoned.set()
            raise Interrupted
    return running.result()


def _is_done(running: Future[T]) -> bool:
    try:
        running.exception(timeout=_POLL_S)
    except TimeoutError:
        return False
    return True
