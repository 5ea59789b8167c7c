"""Waiting no longer than promised, whatever is waited for."""

import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from typing import TypeVar

T = TypeVar("T")


class Deadline:
    """A point in time until which several steps share their patience."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self.restart()

    def restart(self) -> None:
        self._end = time.monotonic() + self._seconds

    @property
    def left(self) -> float:
        """In seconds; never nothing, so that who is asked with it can still answer at once."""
        return max(0.001, self._end - time.monotonic())

    def check(self) -> None:
        """Raises TimeoutError once it is over."""
        if time.monotonic() > self._end:
            raise TimeoutError(f"nothing after {self._seconds:g} s")


def within(seconds: float, call: Callable[[], T]) -> T:
    """The call's result or error; TimeoutError after `seconds`, and the call is left alone.

    It runs in a thread of its own because name look-ups, trickling headers and foreign code know
    no deadline.
    """
    return begun(call).result(timeout=seconds)


def begun(call: Callable[[], T]) -> Future[T]:
    """What comes of a call in a thread of its own.

    The thread is a daemon: an abandoned call never holds up the end of the process.
    """
    outcome: Future[T] = Future()

    def run() -> None:
        try:
            outcome.set_result(call())
        except BaseException as exc:  # noqa: BLE001 - handed to the waiting thread as it is
            outcome.set_exception(exc)

    threading.Thread(target=run, name="ltm-within", daemon=True).start()
    return outcome
