"""A server that can store no more: a clear error, nothing half, and writing goes on with room.

Its files are limited in size, which needs no file system of its own. The limit is that of a segment
of the write-ahead log, so that tables alone meet it, as on a disk that is nearly full.
"""

import os
import resource
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from memory_core.domain.errors import StorageFailed
from memory_core.storage.log.events import EventType, NewEvent
from memory_core.storage.postgres.database import Database
from memory_core.storage.postgres.table_log import TableLog
from tests.builders import append
from tests.scale.servers import Server, cluster

LARGEST_FILE = 16 << 20
EVENT = 1 << 20  # bytes of noise, which no compression makes smaller, twice as long in letters
MOST = 40


@pytest.fixture
def server() -> Iterator[Server]:
    with cluster(settings={"fsync": "off"}) as servers:
        yield servers.servers[0]


def test_what_was_acknowledged_outlives_a_full_disk(server: Server) -> None:
    acknowledged = list[str]()
    server.stop()
    with _small_files():
        server.start()
    with _log(server) as log:
        with pytest.raises(StorageFailed, match="could not"):
            _append_until_full(log, acknowledged)
        assert acknowledged
        assert _stored(log) == acknowledged  # reading goes on, and shows nothing half
    server.stop()
    server.start()
    with _log(server) as log:
        append(log, _event("after"))
        assert _stored(log) == [*acknowledged, "after"]
        found = log.read("talk")
        assert [event.seq for event in found.events] == list(range(1, len(acknowledged) + 2))
        assert found.problems == []


@contextmanager
def _log(server: Server) -> Iterator[TableLog]:
    database = Database(server.dsn())
    yield TableLog(database, "user/full", Path("none"))
    database.close()


@contextmanager
def _small_files() -> Iterator[None]:
    """Limits the files of all processes that are started inside the block."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (LARGEST_FILE, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def _append_until_full(log: TableLog, acknowledged: list[str]) -> None:
    for number in range(MOST):
        append(log, _event(f"event {number}"))
        acknowledged.append(f"event {number}")


def _stored(log: TableLog) -> list[str]:
    return [str(event.fields["user"]) for event in log.read("talk").events]


def _event(name: str) -> NewEvent:
    fields = {"user": name, "noise": os.urandom(EVENT).hex()}
    return NewEvent(op=EventType.ADD, ts=None, log="talk", fields=fields)
