"""The event log of one namespace in tables of PostgreSQL, with the bytes of the JSONL files.

Any number of programs append. The namespace's row holds the seq and is locked until the commit, so
that a program that sees an event sees all events before it.
"""

import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from io import BytesIO
from itertools import accumulate, groupby
from pathlib import Path
from typing import Any

import psycopg

from ...domain.errors import StorageCorrupt, StorageFailed
from ..log.event_log import AppendedEvents, LogPosition
from ..log.events import (
    Event,
    EventType,
    NewEvent,
    after_round_trip,
    numbered,
    pack,
    seq_of,
    unpack,
)
from ..log.log_file import LogSlice, events_at, read_lines
from .claims import Claims
from .connection import Connection, Rows
from .database import Database, repeat_rolled_back
from .names import stored_name

_INIT_MARK = b'"op":"init"'
NAMESPACE_LOCK = "hashtextextended(%s, 20)"
_NEXT_SEQ = """
INSERT INTO log_heads AS head (namespace, seq) VALUES (%s, %s)
ON CONFLICT (namespace) DO UPDATE
SET seq = head.seq + EXCLUDED.seq, written_at = clock_timestamp() RETURNING seq
"""
_INSERT = """
WITH grown AS (
    INSERT INTO log_ends AS known (namespace, log, size) VALUES (%(namespace)s, %(log)s, %(size)s)
    ON CONFLICT (namespace, log) DO UPDATE SET size = known.size + EXCLUDED.size
    RETURNING size - %(size)s AS start
)
INSERT INTO log_lines (namespace, log, start, seq, is_init, line)
SELECT %(namespace)s, %(log)s, grown.start + part.start, part.seq, part.is_init, part.line
FROM grown, unnest(%(starts)s::bigint[], %(seqs)s::bigint[], %(inits)s::boolean[],
    %(lines)s::bytea[]) AS part (start, seq, is_init, line)
RETURNING (SELECT start FROM grown)
"""
_RAISE_SEQ = """
INSERT INTO log_heads AS head (namespace, seq) VALUES (%s, %s)
ON CONFLICT (namespace) DO UPDATE SET seq = GREATEST(head.seq, EXCLUDED.seq)
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class LogPart:
    """Consecutive lines of one log, and the seq of each; 0 for a damaged one."""

    log: str
    lines: Sequence[bytes]
    seqs: Sequence[int]


class TableLog:
    """Implements Log. `folder` is the namespace's local folder, `namespace` its key in the tables.

    A connection of its own holds the namespace's advisory lock in exclusive(), and writes. If it is
    lost, the server frees the lock, and this object cannot write any more inside the block.
    """

    has_many_writers = True
    holds_lock = False

    def __init__(
        self, database: Database, namespace: str, folder: Path, claims: Claims | None = None
    ) -> None:
        self.folder = folder
        self._database = database
        self._namespace = stored_name(namespace)
        self._claims = claims or Claims(database)
        self._mutex = threading.RLock()
        self._held: Connection | None = None
        self._holder = 0

    def append_all(self, drafts: Sequence[NewEvent]) -> Iterator[AppendedEvents]:
        for log, run in groupby(drafts, key=lambda draft: draft.log):
            yield self._append(log, list(run))

    @repeat_rolled_back
    def _append(self, log: str, drafts: Sequence[NewEvent]) -> AppendedEvents:
        with self._writing() as connection, connection.transaction():
            seq = _first(connection.execute(_NEXT_SEQ, [self._namespace, len(drafts)]))
            lines = numbered(drafts, seq - len(drafts))
            packed = [pack(line) for line in lines]
            part = LogPart(log=log, lines=packed, seqs=[line.seq for line in lines])
            start = insert_lines(connection, self._namespace, part)
        return AppendedEvents(
            log=log,
            events=list(map(after_round_trip, lines, packed)),
            start=start,
            end=start + sum(map(len, packed)),
        )

    def secrets(self) -> list[str]:
        query = "SELECT line FROM log_lines WHERE namespace = %s AND is_init ORDER BY log, start"
        found = (line for (data,) in self._fetch(query) for line in _events(data))
        made = (str(line.fields["secret"]) for line in found if line.op is EventType.INIT)
        return list(dict.fromkeys(made))

    def read(self, log: str, start: int = 0, *, last: int | None = None) -> LogSlice:
        lines = (
            "SELECT line FROM log_lines WHERE namespace = %s AND log = %s AND start >= %s"
            " ORDER BY start"
        )
        found = [data for (data,) in self._fetch(lines, log, start)]
        if not found:
            return LogSlice(end=start if self.has_log(log) else 0)
        return read_lines(found, log or "notes", log, start, last=last)

    def read_again(self, log: str, offsets: Sequence[int]) -> dict[tuple[int, int], Event]:
        query = (
            "SELECT start, line FROM log_lines"
            " WHERE namespace = %s AND log = %s AND start = ANY(%s)"
        )
        found: dict[tuple[int, int], Event] = {}
        for start, data in self._fetch(query, log, list(offsets)):
            found |= events_at(start, data, log or "notes", log)
        return found

    def logs(self) -> dict[str, int]:
        return dict(self._fetch("SELECT log, size FROM log_ends WHERE namespace = %s ORDER BY log"))

    def has_log(self, log: str) -> bool:
        query = "SELECT 1 FROM log_ends WHERE namespace = %s AND log = %s"
        return bool(self._fetch(query, log))

    def is_line_end(self, log: str, end: int) -> bool:
        query = (
            "SELECT start + length(line) FROM log_lines"
            " WHERE namespace = %s AND log = %s AND start < %s ORDER BY start DESC LIMIT 1"
        )
        return end == 0 or self._fetch(query, log, end) == [(end,)]

    def last_seq(self) -> int:
        """Returns the seq of the namespace's last event; 0 if there is none."""
        found = self._fetch("SELECT seq FROM log_heads WHERE namespace = %s")
        return int(found[0][0]) if found else 0

    def is_ahead_of(self, seq: int) -> bool:
        return self.last_seq() != seq

    def foreign_files(self) -> list[str]:
        return []

    def content(self, log: str) -> bytes:
        query = "SELECT line FROM log_lines WHERE namespace = %s AND log = %s ORDER BY start"
        return b"".join(data for (data,) in self._fetch(query, log))

    @repeat_rolled_back
    def rewrite(self, log: str, content: bytes) -> None:
        lines = list(BytesIO(content))
        seqs = [seq_of(line.rstrip(b"\n")) for line in lines]
        with self._writing() as connection, connection.transaction():
            connection.execute("SET LOCAL statement_timeout = '10min'")
            connection.execute(_RAISE_SEQ, [self._namespace, max(seqs, default=0)])
            for table in ("log_lines", "log_ends"):
                delete = f"DELETE FROM {table} WHERE namespace = %s AND log = %s"  # noqa: S608
                connection.execute(delete, [self._namespace, log])
            insert_lines(connection, self._namespace, LogPart(log=log, lines=lines, seqs=seqs))

    @contextmanager
    def exclusive(self) -> Iterator[None]:
        with self._mutex:
            if self._held is not None:
                yield
                return
            with self._database.connection(self._namespace) as connection:
                connection.execute(f"SELECT pg_advisory_lock({NAMESPACE_LOCK})", [self._namespace])
                with self._holding(connection):
                    yield

    @contextmanager
    def try_locked(self) -> Iterator[bool]:
        with self._mutex:
            if self._held is not None:
                yield True
                return
            with self._database.connection(self._namespace) as connection:
                ask = f"SELECT pg_try_advisory_lock({NAMESPACE_LOCK})"
                if not _first(connection.execute(ask, [self._namespace])):
                    yield False
                    return
                with self._holding(connection):
                    yield True

    def lock_for_writing(self, read: LogPosition | None = None) -> "TableLog":
        return self

    def acquire_lock(self) -> None:
        self._claims.claim(self._namespace)

    def close(self) -> None:
        self._claims.release(self._namespace)

    @contextmanager
    def _holding(self, connection: Connection) -> Iterator[None]:
        """Makes this thread use this connection, which has the lock, inside the block."""
        self._held, self._holder = connection, threading.get_ident()
        try:
            yield
        finally:
            self._held, self._holder = None, 0
            with suppress(psycopg.Error):  # a lost connection has freed the lock already
                unlock = f"SELECT pg_advisory_unlock({NAMESPACE_LOCK})"
                connection.execute(unlock, [self._namespace])

    @contextmanager
    def _writing(self) -> Iterator[Connection]:
        """Yields the connection that has the lock. Raises StorageFailed."""
        with self.exclusive(), self._database.translate_errors():
            if self._held is None:
                raise StorageFailed("the lock of the log was given back too early")
            yield self._held

    def _fetch(self, query: str, *values: object) -> list[tuple[Any, ...]]:
        """Returns the rows of a query whose first parameter is the namespace."""
        if self._held is not None and self._holder == threading.get_ident():
            with self._database.translate_errors():
                return list(self._held.execute(query, [self._namespace, *values]).fetchall())
        return self._database.rows(self._namespace, query, self._namespace, *values)


def insert_lines(connection: Connection, namespace: str, part: LogPart) -> int:
    """Adds lines at the log's end; returns the offset of the first one."""
    *starts, size = accumulate(map(len, part.lines), initial=0)
    values = {
        "namespace": namespace,
        "log": part.log,
        "size": size,
        "starts": starts,
        "seqs": list(part.seqs),
        "inits": [_INIT_MARK in line for line in part.lines],
        "lines": list(part.lines),
    }
    return _first(connection.execute(_INSERT, values))


def _first(rows: Rows) -> int:
    found = rows.fetchone()
    if found is None:
        raise StorageFailed("the database returned no row")
    return int(found[0])


def _events(data: bytes) -> Iterator[Event]:
    with suppress(StorageCorrupt):
        yield unpack(data[:-1], "")
