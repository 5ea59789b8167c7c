"""Connections to one PostgreSQL database, each bound to one namespace while it is in use.

A transaction that the server rolled back because it crossed another one is repeated.
"""

import re
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import wraps
from typing import Any, ParamSpec, TypeVar

import psycopg
from psycopg.conninfo import conninfo_to_dict

from ...domain.errors import ConfigError, StorageFailed
from ...infra.deadlines import database_wait_s
from .connection import Connection
from .half_vectors import register_half_vectors
from .migrations import SCHEMA, migrate

_MAX_CONNECTIONS = 16
_CONNECT_S = 2  # libpq's minimum
_LONGEST_WRITE_S = 60.0  # for one statement
_GRACE_S = 0.5  # lets the server report its own limits first
_RETRY_S = 1.0  # after a failed connection, calls fail at once for so long
_HIDDEN = re.compile(r"(password=)\S+|(://[^:/@\s]*:)[^@\s]*(?=@)", re.IGNORECASE)
_PROBES = 5
_SET = "SELECT set_config('ltm.probe', %s, false)"
_GET = "SELECT current_setting('ltm.probe', true)"
_ATTEMPTS = 4  # of a transaction that crossed others
Given = ParamSpec("Given")
Result = TypeVar("Result")
# Planning over 16 partitions takes longer than most queries, so one plan serves all namespaces. For
# full partitions the server would plan each query, since it adds up the costs of all partitions.
_BEGIN_SESSION = (
    "SET ROLE ltm_application; SET search_path = {schema}, public; SET timezone = 'UTC'; "
    "SET standard_conforming_strings = on; SET jit = off; "
    "SET plan_cache_mode = force_generic_plan; "
    "SET statement_timeout = '{longest}ms'; SET lock_timeout = '{limit}ms'; "
    "SET client_connection_check_interval = '1s'; "
    "SET idle_in_transaction_session_timeout = '60s'; SET hnsw.iterative_scan = strict_order; "
    "SET hnsw.ef_search = 800"
)


class RolledBack(StorageFailed):
    """Raised for a deadlock: nothing was written, and another attempt may succeed."""


def repeat_rolled_back(write: Callable[Given, Result]) -> Callable[Given, Result]:
    """Decorates a method that is one transaction as a whole; raises its last RolledBack."""

    @wraps(write)
    def repeated(*given: Given.args, **named: Given.kwargs) -> Result:
        for _ in range(_ATTEMPTS - 1):
            try:
                return write(*given, **named)
            except RolledBack:
                continue  # the server has waited long enough (deadlock_timeout)
        return write(*given, **named)

    return repeated


class _AnswerTooLate(psycopg.OperationalError):
    """Raised when the thread's own time is over, which says little about the server."""


class _TimedConnection(psycopg.Connection):  # type: ignore[misc,unused-ignore]
    """Gives up when the server keeps silent, for instance because it hangs.

    Closes itself when an answer takes longer than `answer_limit_s`, or than the thread may wait
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
                raise _AnswerTooLate("no answer in the time that a message may wait") from exc
            raise psycopg.OperationalError(f"no answer within {limit:g} s") from exc


@dataclass(slots=True, eq=False)
class _Session:
    """A connection, and the namespace whose rows it sees now."""

    connection: Connection
    namespace: str | None = None


class Database:
    """A pool of connections without threads of its own. Safe for many threads.

    The schema's owner connects and migrates; each session then takes the role ltm_application,
    which owns nothing and is subject to row-level security. Nobody waits longer than `time_limit_s`
    for a connection, for a lock or for what one query reads. Errors become StorageFailed, without
    the password.
    """

    def __init__(
        self, dsn: str, *, time_limit_s: float = 5.0, max_connections: int = _MAX_CONNECTIONS
    ) -> None:
        self._dsn = dsn
        parts = _parts(dsn)
        self._address = _address(parts)
        # Of several servers, the one that takes writes: the others are its replicas.
        is_set = "target_session_attrs" in parts
        self._defaults = {} if is_set else {"target_session_attrs": "read-write"}
        self._time_limit_s = time_limit_s
        self._lock = threading.Lock()
        self._idle: list[_Session] = []
        self._slots = threading.BoundedSemaphore(max_connections)
        self._is_migrated = False
        self._fault = ("", 0.0)
        self._is_closed = False

    @contextmanager
    def connection(self, namespace: str) -> Iterator[Connection]:
        """Yields a connection that sees this namespace alone; each statement is committed."""
        with self.translate_errors(), self._slot():
            session = self._acquire()
            try:
                session.connection.answer_limit_s = self._time_limit_s + _GRACE_S
                _bind(session, namespace)
                yield session.connection
            except _AnswerTooLate:
                raise
            except (psycopg.OperationalError, psycopg.InterfaceError):
                self._drop_idle()  # those of a server that was restarted are dead, too
                raise
            finally:
                self._release(session)

    @contextmanager
    def transaction(self, namespace: str) -> Iterator[Connection]:
        """Yields a connection inside a transaction: all or nothing is written."""
        with self.connection(namespace) as connection, connection.transaction():
            connection.answer_limit_s = _LONGEST_WRITE_S + _GRACE_S
            yield connection

    @contextmanager
    def snapshot(self, namespace: str) -> Iterator[Connection]:
        """Yields a connection whose statements all read one state of the database."""
        with self.connection(namespace) as connection:
            connection.execute("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
            yield connection
            connection.execute("COMMIT")  # after an error, the connection is closed instead

    def rows(self, namespace: str, sql: str, *values: object) -> list[Any]:
        """Returns the rows of one query."""
        with self.connection(namespace) as connection:
            return list(connection.execute(sql, values, binary=True).fetchall())

    @contextmanager
    def owner_connection(self) -> Iterator[Connection]:
        """Yields a connection of the schema's owner, for upkeep of the tables as a whole."""
        with self.translate_errors(), self._connect() as connection:
            connection.execute(f"SET search_path = {SCHEMA}, public")
            yield connection

    def close(self) -> None:
        self._is_closed = True
        self._drop_idle()

    @contextmanager
    def _slot(self) -> Iterator[None]:
        left = database_wait_s()
        patience = self._time_limit_s if left is None else min(left, self._time_limit_s)
        if not self._slots.acquire(timeout=patience):
            raise StorageFailed(f"all connections to {self._address} are in use; try again")
        try:
            yield
        finally:
            self._slots.release()

    def _acquire(self) -> _Session:
        with self._lock:
            if self._idle:
                return self._idle.pop()
        fault, until = self._fault
        if time.monotonic() < until:
            raise StorageFailed(fault)
        try:
            return self._begin_session()
        except _AnswerTooLate:
            raise
        except psycopg.Error as exc:
            fault = f"{self._address} cannot be reached: {_reason(exc)}"
            self._fault = fault, time.monotonic() + _RETRY_S
            raise StorageFailed(fault) from exc

    def _begin_session(self) -> _Session:
        connection = self._connect()
        try:
            if not self._is_migrated:
                _refuse_transaction_mode(connection, self._connect, self._address)
                migrate(connection)
                self._is_migrated = True
            connection.answer_limit_s = self._time_limit_s + _GRACE_S
            limit, longest = (round(1000 * s) for s in (self._time_limit_s, _LONGEST_WRITE_S))
            connection.execute(
                _BEGIN_SESSION.format(schema=SCHEMA, limit=max(1, limit), longest=longest)
            )
            register_half_vectors(connection)
        except BaseException:
            connection.close()
            raise
        return _Session(connection)

    def _connect(self) -> Connection:
        settings: dict[str, Any] = {
            "autocommit": True,
            "connect_timeout": _CONNECT_S,
            "application_name": "long-term-memory",
            "tcp_user_timeout": max(1000, round(self._time_limit_s * 1000)),
            "client_encoding": "utf8",
            **self._defaults,
        }
        # The contract has simpler types than psycopg where the types do not matter.
        opened: Any = _TimedConnection.connect(self._dsn, **settings)
        connection: Connection = opened
        return connection

    def _release(self, session: _Session) -> None:
        connection = session.connection
        is_idle = connection.info.transaction_status == psycopg.pq.TransactionStatus.IDLE
        if is_idle and not connection.closed and not self._is_closed:
            with self._lock:
                self._idle.append(session)
        else:
            with suppress(psycopg.Error):
                connection.close()

    def _drop_idle(self) -> None:
        with self._lock:
            dropped, self._idle = self._idle, []
        for session in dropped:
            with suppress(psycopg.Error):
                session.connection.close()

    @contextmanager
    def translate_errors(self) -> Iterator[None]:
        try:
            yield
        except (psycopg.errors.DeadlockDetected, psycopg.errors.SerializationFailure) as exc:
            raise RolledBack(f"{self._address} failed: {_reason(exc)}") from exc
        except psycopg.Error as exc:
            raise StorageFailed(f"{self._address} failed: {_reason(exc)}") from exc


def _bind(session: _Session, namespace: str) -> None:
    if session.namespace != namespace:
        session.namespace = None
        session.connection.execute("SELECT set_config('ltm.namespace', %s, false)", (namespace,))
        session.namespace = namespace


def _parts(dsn: str) -> Mapping[str, Any]:
    """Returns the parts of a connection string. Raises ConfigError for a wrong one."""
    try:
        return dict(conninfo_to_dict(dsn))
    except psycopg.ProgrammingError:  # its text holds the password
        raise ConfigError(
            "store.dsn is not a connection string of PostgreSQL, such as "
            "postgresql://user:password@host:5432/database",
            key="store.dsn",
        ) from None


def _address(parts: Mapping[str, Any]) -> str:
    """Returns a description of the server and database, without user and password."""
    host, port = parts.get("host") or "the local socket", parts.get("port") or 5432
    return f"the PostgreSQL database {parts.get('dbname', '')!r} at {host}:{port}"


def _reason(exc: psycopg.Error) -> str:
    """Returns the first line of an error, without any password and without values of rows."""
    message = exc.diag.message_primary or str(exc) or type(exc).__name__
    lines: Sequence[str] = message.strip().splitlines() or [type(exc).__name__]
    line = lines[0].removeprefix("connection failed: ")  # the rest says so, too
    return _HIDDEN.sub(lambda found: (found[1] or found[2]) + "***", line)


def _refuse_transaction_mode(
    connection: Connection, connect: Callable[[], Connection], address: str
) -> None:
    """Raises StorageFailed if statements of one connection run in several sessions of the server.

    A pooler in transaction mode does that, and would lose roles and locks between statements. It
    invents the process id that it reports, so one query recognises a server without one. `connect`
    opens a second connection, which takes the session that was used last.
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
