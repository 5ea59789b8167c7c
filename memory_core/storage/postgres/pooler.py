"""Recognises a pooler in transaction mode, which would lose roles and locks between statements."""

from collections.abc import Callable
from contextlib import AbstractContextManager

from ...domain.errors import StorageFailed
from .connection import Connection

_PROBES = 5
_SET = "SELECT set_config('ltm.probe', %s, false)"
_GET = "SELECT current_setting('ltm.probe', true)"


def refuse_transaction_mode(
    connection: Connection, connect: Callable[[], AbstractContextManager[Connection]], address: str
) -> None:
    """Raises StorageFailed if statements of one connection run in several sessions of the server.

    A pooler invents the process id that it reports, so one query recognises a server without one.
    `connect` opens a second connection, which takes the session that was used last.
    """
    (process,) = connection.execute("SELECT pg_backend_pid()").fetchone()
    if process == connection.info.backend_pid:
        return
    mark = str(process)
    connection.execute(_SET, (mark,))
    with connect() as other, other.transaction():
        other.execute("SELECT 1")
        found = {connection.execute(_GET).fetchone()[0] for _ in range(_PROBES)}
    if found != {mark}:
        raise StorageFailed(
            f"{address} is behind a pooler in transaction mode, which loses locks and the role "
            "that keeps users apart: set its pool_mode to session, or name PostgreSQL itself in "
            "store.dsn"
        )
