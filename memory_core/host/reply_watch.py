"""Watches the reply of the host's model, and ends it if it hangs, repeats itself or is endless."""

import threading
import time
from collections.abc import Iterator

from ..domain.errors import HostError
from ..infra.deadlines import Interrupt
from ..providers.llm.base import LONGEST_WAIT_S, REPEATS
from ..text.endless_repetition import repeats_itself

_LOOK_EVERY = 64  # pieces, for repetitions
_TOO_MANY_CHARS = 262_144


class ReplyWatch:
    """An interrupt that is also set when a piece of the reply is late.

    The first piece may take half an hour, in which a slow computer reads the prompt.
    """

    def __init__(self, interrupt: Interrupt, *, timeout_s: float) -> None:
        self._interrupt = interrupt
        self._timeout_s = timeout_s
        self._due = time.monotonic() + max(LONGEST_WAIT_S, timeout_s)
        self.finish_reason = ""

    @property
    def is_late(self) -> bool:
        """Returns whether the next piece is late."""
        return time.monotonic() > self._due

    def is_set(self) -> bool:
        return self._interrupt.is_set() or self.is_late

    def wait(self, timeout: float) -> bool:
        return self._interrupt.wait(timeout) or self.is_late

    def read(self, replies: Iterator[str], abandoned: threading.Event) -> str:
        """Returns the whole reply, the last of the generator, whose replies grow piece by piece."""
        whole = ""
        for count, reply in enumerate(replies, start=1):
            whole = str(reply)
            self._due = time.monotonic() + self._timeout_s
            if not count % _LOOK_EVERY and repeats_itself(whole):
                self.finish_reason = REPEATS
            if self.finish_reason or len(whole) > _TOO_MANY_CHARS or abandoned.is_set():
                _close(replies)
                break
        if len(whole) > _TOO_MANY_CHARS:
            raise HostError("the host's own model sent an endless answer")
        return whole


def _close(replies: Iterator[str]) -> None:
    """Ends the generator, which releases the host's lock at once."""
    close = getattr(replies, "close", None)
    if close is not None:
        close()
