"""A connection that gives up when the server keeps silent, for instance because it hangs."""

from typing import Any

import psycopg

from ...infra.deadlines import database_wait_s


class AnswerTooLate(psycopg.OperationalError):
    """Raised when the thread's own time is over, which says little about the server."""


class TimedConnection(psycopg.Connection):  # type: ignore[misc,unused-ignore]
    """Closes itself when an answer takes longer than `answer_limit_s`, or than the thread may wait
    (infra/deadlines.py); None waits for ever.

    The server's own limits (statement_timeout) have no effect while its process is stopped.
    """

    answer_limit_s: float | None = None

    def wait(self, gen: Any, interval: float = 0.1, timeout: float | None = None) -> Any:  # noqa: ANN401
        left = database_wait_s()
        limits = [given for given in (timeout or self.answer_limit_s, left) if given is not None]
        limit = min(limits, default=None)
        try:
            return super().wait(gen, min(interval, limit or interval), limit)
        except psycopg.errors._WaitTimeout as exc:
            if timeout is not None and limit == timeout:
                raise
            self.pgconn.finish()  # its answer must not be taken for that of a later query
            if limit == left:
                raise AnswerTooLate("no answer in the time that a message may wait") from exc
            raise psycopg.OperationalError(f"no answer within {limit:g} s") from exc
