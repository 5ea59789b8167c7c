"""The requests that run just now, which the server cancels when it has no more time for them."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager

import anyio

from ..infra.deadlines import interrupted_by
from .errors import UNAVAILABLE, RequestRefused


class RunningRequests:
    """Cancels the requests that run, once no more time is left for them.

    Work that must not be lost, such as writing to disk, shields itself and is completed.
    """

    def __init__(self) -> None:
        self._scopes: set[anyio.CancelScope] = set()
        self._is_over = threading.Event()

    @property
    def count(self) -> int:
        return len(self._scopes)

    @contextmanager
    def cancellable(self) -> Iterator[None]:
        """Raises RequestRefused if the request inside the block is cancelled."""
        with anyio.CancelScope() as scope, interrupted_by(self._is_over):
            self._scopes.add(scope)
            try:
                if self._is_over.is_set():
                    scope.cancel()
                yield
            finally:
                self._scopes.discard(scope)
        if scope.cancelled_caught:
            raise stopping()

    def cancel(self) -> None:
        """Cancels all requests, and those that come later. Runs in the thread of the requests."""
        self._is_over.set()
        for scope in list(self._scopes):
            scope.cancel()


def stopping() -> RequestRefused:
    """Returns the refusal of a request for which no time is left."""
    return RequestRefused(
        "the server is stopping, and the answer did not come in time; try again soon",
        status=UNAVAILABLE,
    )
