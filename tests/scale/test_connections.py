"""A server that is away, restarted or slow: clear errors, no password in them, no long wait."""

import os
import signal
import time
from collections.abc import Iterator
from threading import Event, Thread

import pytest

from memory_core.domain.errors import ConfigError, StorageFailed
from memory_core.infra.deadlines import limit_database_wait
from memory_core.storage.postgres.database import Database
from memory_core.storage.postgres.store import PostgresStore
from tests.builders import added, said
from tests.scale.servers import Server, cluster

PASSWORD = "s3cret-pass"


@pytest.fixture(scope="module")
def own_server() -> Iterator[Server]:
    with cluster(settings={"fsync": "off"}) as servers:
        yield servers.servers[0]


def test_a_restarted_server_is_used_again(own_server: Server) -> None:
    database = Database(own_server.dsn())
    store = PostgresStore(database, "ana/restarted")
    store.apply([added(1, "id1", said("before"))], {})
    own_server.stop()
    began = time.monotonic()
    for _ in range(3):
        with pytest.raises(StorageFailed, match="PostgreSQL database 'ltm' at 127"):
            store.catalog.get(["id1"])
    assert time.monotonic() - began < 5.0
    own_server.start()
    deadline = time.monotonic() + 20
    while True:
        try:
            assert list(store.catalog.get(["id1"])) == ["id1"]
            break
        except StorageFailed:
            assert time.monotonic() < deadline, "the server is back, but is not used"
    database.close()


def test_a_statement_waits_only_as_long_as_allowed(own_server: Server) -> None:
    database = Database(own_server.dsn(), time_limit_s=0.3)
    store = PostgresStore(database, "ana/slow")
    store.apply([added(1, "id1", said("text"))], {})
    is_held, is_over = Event(), Event()

    def hold() -> None:
        with database.transaction("ana/slow") as connection:
            connection.execute("SELECT FROM namespaces FOR UPDATE")
            is_held.set()
            is_over.wait(30)

    holder = Thread(target=hold)
    holder.start()
    is_held.wait(30)
    with pytest.raises(StorageFailed, match="timeout"):
        store.apply([added(2, "id2", said("text"))], {})
    assert list(store.catalog.get(["id1"])) == ["id1"]  # reading waits for nobody
    is_over.set()
    holder.join()
    assert store.apply([added(2, "id2", said("text"))], {})
    database.close()


def test_nobody_waits_for_a_server_that_hangs(own_server: Server) -> None:
    database = Database(own_server.dsn(), time_limit_s=0.3)
    store = PostgresStore(database, "ana/hanging")
    store.apply([added(1, "id1", said("text"))], {})
    (process,) = database.rows("ana/hanging", "SELECT pg_backend_pid()")[0]
    os.kill(process, signal.SIGSTOP)
    try:
        began = time.monotonic()
        with pytest.raises(StorageFailed, match="no answer within"):
            store.catalog.get(["id1"])
        assert time.monotonic() - began < 5.0
        assert list(store.catalog.get(["id1"])) == ["id1"]  # over another connection
    finally:
        os.kill(process, signal.SIGCONT)
    database.close()


def test_no_error_tells_the_password() -> None:
    database = Database(f"postgresql://ana:{PASSWORD}@127.0.0.1:1/ltm")
    with pytest.raises(StorageFailed) as found:
        PostgresStore(database, "ana/mira").catalog.summary()
    assert PASSWORD not in str(found.value)
    with pytest.raises(ConfigError, match=r"store\.dsn") as told:
        Database(f"host=here {PASSWORD}")
    assert PASSWORD not in str(told.value)
    assert told.value.__cause__ is None


def test_connections_that_are_all_in_use_are_an_error(own_server: Server) -> None:
    database = Database(own_server.dsn(), time_limit_s=0.2, max_connections=1)
    with database.connection("ana/mira"), pytest.raises(StorageFailed, match="in use"):
        PostgresStore(database, "ana/mira").catalog.summary()
    database.close()


def test_a_message_waits_for_the_database_no_longer_than_it_may(own_server: Server) -> None:
    database = Database(own_server.dsn())
    began = time.monotonic()
    with (
        limit_database_wait(0.3),
        pytest.raises(StorageFailed, match="a message may wait"),
        database.connection("ana/late") as connection,
    ):
        connection.execute("SELECT pg_sleep(60)")
    with limit_database_wait(0.3), pytest.raises(StorageFailed, match="a message may wait"):
        _sleep_often(database)
    assert time.monotonic() - began < 30
    assert database.rows("ana/late", "SELECT 1") == [(1,)]
    database.close()


def _sleep_often(database: Database) -> None:
    """Runs queries that are fast enough each, but not together."""
    for _ in range(60):
        database.rows("ana/late", "SELECT pg_sleep(0.1)")
