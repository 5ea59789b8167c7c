"""Keeps namespaces exclusively in another thread during a test."""

import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager

from memory_core.domain.namespaces import Namespace

PATIENCE_S = 20.0

Closed = Callable[[list[Namespace]], AbstractContextManager[None]]


@contextmanager
def taken(closed: Closed, namespace: Namespace) -> Iterator[None]:
    """Keeps namespaces closed by another thread, as a merge does."""
    is_taken, goes_on = threading.Event(), threading.Event()

    def take() -> None:
        with closed([namespace]):
            is_taken.set()
            goes_on.wait(PATIENCE_S)

    thread = threading.Thread(target=take)
    thread.start()
    assert is_taken.wait(PATIENCE_S)
    try:
        yield
    finally:
        goes_on.set()
        thread.join(PATIENCE_S)
