"""Replaces or deletes all rows of one namespace, inside a transaction that is bound to it."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from io import BytesIO

from ..log.events import EventType, NewEvent, numbered, pack, seq_of
from .connection import Connection
from .table_log import NAMESPACE_LOCK, LogPart, insert_lines
from .writes import clear_namespace, mark_erased

_NOTES = ""
_LINES_AT_ONCE = 2000
_SIZES = "SELECT log, size FROM log_ends WHERE namespace = %s"
_HEAD = "SELECT seq FROM log_heads WHERE namespace = %s"
_SET_HEAD = """INSERT INTO log_heads (namespace, seq) VALUES (%s, %s)
    ON CONFLICT (namespace) DO UPDATE
    SET seq = EXCLUDED.seq, written_at = clock_timestamp()"""
_CONTENT = "SELECT line FROM log_lines WHERE namespace = %s AND log = %s ORDER BY start"
_QUEUE = ("jobs", "job_scans", "job_positions", "jobs_done")
_LOGS = ("log_lines", "log_ends")
_REST = ("log_heads", "documents", "job_usage", "vectors", "namespaces")


@dataclass(frozen=True, slots=True, kw_only=True)
class NewLogs:
    """New logs of a namespace: log → content, and the key of its tombstone hashes."""

    contents: Mapping[str, bytes]
    secret: str


def lock_unchanged(connection: Connection, namespace: str, seen: Mapping[str, int]) -> bool:
    """Keeps others from appending until the transaction ends; returns whether its logs
    are `seen`.
    """
    connection.execute("SET LOCAL statement_timeout = '10min'")
    connection.execute(f"SELECT pg_advisory_xact_lock({NAMESPACE_LOCK})", [namespace])
    return dict(connection.execute(_SIZES, [namespace]).fetchall()) == dict(seen)


def delete_namespace(connection: Connection, namespace: str) -> None:
    """Deletes all rows; scrub() then removes their words from the server's files."""
    clear_namespace(connection, namespace)
    _delete(connection, namespace, *_LOGS, *_QUEUE, *_REST)
    mark_erased(connection, namespace)


def replace_logs(connection: Connection, namespace: str, new: NewLogs) -> None:
    """Replaces all logs. The index stays if they only grow; else its next use rebuilds it.

    Afterwards the head is the last event's seq, by which all programs see that the log has changed.
    """
    old = {log: _content(connection, namespace, log) for (log, _) in _sizes(connection, namespace)}
    if all(new.contents.get(log, b"").startswith(content) for log, content in old.items()):
        _append(connection, namespace, old, new.contents)
        connection.execute(_SET_HEAD, [namespace, _last_seq(new.contents)])
        return
    found = connection.execute(_HEAD, [namespace]).fetchone()
    contents, seq = _newer_than(found[0] if found else 0, new)
    clear_namespace(connection, namespace)
    _delete(connection, namespace, *_LOGS, *_QUEUE)
    _append(connection, namespace, {}, contents)
    connection.execute(_SET_HEAD, [namespace, seq])
    mark_erased(connection, namespace)


def _newer_than(head: int, new: NewLogs) -> tuple[Mapping[str, bytes], int]:
    """Returns contents whose last seq no program has seen yet, and that seq.

    Otherwise a program could take its knowledge of the former logs for the present state.
    """
    last = _last_seq(new.contents)
    if last > head or not new.contents:
        return new.contents, last
    draft = NewEvent(op=EventType.INIT, ts=None, fields={"secret": new.secret})
    (line,) = numbered([draft], head)
    notes = new.contents.get(_NOTES, b"") + pack(line)
    return {**new.contents, _NOTES: notes}, line.seq


def _append(
    connection: Connection,
    namespace: str,
    old: Mapping[str, bytes],
    contents: Mapping[str, bytes],
) -> None:
    for log, content in contents.items():
        for lines in _batches(content[len(old.get(log, b"")) :]):
            part = LogPart(log=log, lines=lines, seqs=[_seq(line) for line in lines])
            insert_lines(connection, namespace, part)


def _batches(content: bytes) -> Iterator[list[bytes]]:
    lines = list(BytesIO(content))
    for first in range(0, len(lines), _LINES_AT_ONCE):
        yield lines[first : first + _LINES_AT_ONCE]


def _last_seq(contents: Mapping[str, bytes]) -> int:
    return max((_seq(line) for data in contents.values() for line in BytesIO(data)), default=0)


def _seq(line: bytes) -> int:
    return seq_of(line.rstrip(b"\n"))


def _sizes(connection: Connection, namespace: str) -> list[tuple[str, int]]:
    return connection.execute(_SIZES, [namespace]).fetchall()


def _content(connection: Connection, namespace: str, log: str) -> bytes:
    rows = connection.execute(_CONTENT, [namespace, log]).fetchall()
    return b"".join(data for (data,) in rows)


def _delete(connection: Connection, namespace: str, *tables: str) -> None:
    for table in tables:
        connection.execute(f"DELETE FROM {table} WHERE namespace = %s", [namespace])  # noqa: S608
