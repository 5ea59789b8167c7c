"""A connection that gives up when the server keeps silent, for instance because it hangs."""

from typing import Any

import psycopg


class TimedConnection(psycopg.Connection):  # type: ignore[misc,unused-ignore]
    """Closes itself when an answer takes longer than `answer_limit_s`; None waits for ever.

    The server's own limits (statement_timeout) come to nothing while its process is stopped.
    """

    answer_limit_s: float | None = None

    def wait(self, gen: Any, interval: float = 0.1, timeout: float | None = None) -> Any:  # noqa: ANN401
        limit = self.answer_limit_s if timeout is None else timeout
        try:
            return super().wait(gen, interval, limit)
        except psycopg.errors._WaitTimeout as exc:
            if timeout is not None:
                raise
            self.pgconn.finish()  # its answer must not be taken for that of a later query
            raise psycopg.OperationalError(f"no answer within {limit:g} s") from exc
