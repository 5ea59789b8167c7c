"""A transaction that crosses another one and is rolled back is repeated: nobody loses a write.

The other session never gives up first, so that the server rolls back the product's transaction.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Thread

import psycopg
import pytest

from memory_core.storage.log.events import EventType, NewEvent
from memory_core.storage.postgres.database import Database, RolledBack, repeat_rolled_back
from memory_core.storage.postgres.store import PostgresStore
from memory_core.storage.postgres.table_log import TableLog
from tests.builders import added, append, said
from tests.scale.servers import Server, wait_until
from tests.storage.index.scene import change

PATIENCE = "SET deadlock_timeout = '60s'"
WAITING = "SELECT count(*) FROM pg_stat_activity WHERE {} = ANY(pg_blocking_pids(pid))"


@contextmanager
def crossed(server: Server, first: str, second: str, write: Callable[[], object]) -> Iterator[None]:
    """Holds `first` until `write` waits for it, then asks for `second`, which `write` holds."""
    with psycopg.connect(server.dsn()) as other:
        other.execute(PATIENCE)
        other.execute(first.encode())
        writer = Thread(target=write)
        writer.start()
        waiting = WAITING.format(other.info.backend_pid)
        wait_until(lambda: server.execute(waiting) == [(1,)], "nobody waits for the lock")
        other.execute(second.encode())  # returns once the writer is rolled back
        other.rollback()
        writer.join()
        yield


def test_applied_events_are_repeated_after_a_deadlock(primary: Server, database: Database) -> None:
    own = "crossed/store"
    store = PostgresStore(database, own)
    store.apply([added(1, "id1", said("before"))], {"talk": 1})
    forgotten = change(EventType.FORGET, "id1", seq=2, sealed="5ea1")
    with crossed(
        primary,
        f"SELECT FROM ltm.memories WHERE namespace = '{own}' FOR UPDATE",
        f"SELECT FROM ltm.namespaces WHERE namespace = '{own}' FOR UPDATE",
        lambda: store.apply([forgotten], {"talk": 2}),
    ):
        assert store.positions() == {"talk": 2}
        assert store.counts()["forgotten"] == 1


def test_an_append_is_repeated_after_a_deadlock_and_stored_once(
    primary: Server, database: Database
) -> None:
    own = "crossed/log"
    log = TableLog(database, own, Path("none"))
    append(log, note("first"))
    with crossed(
        primary,
        f"SELECT FROM ltm.log_ends WHERE namespace = '{own}' FOR UPDATE",
        f"SELECT FROM ltm.log_heads WHERE namespace = '{own}' FOR UPDATE",
        lambda: append(log, note("second")),
    ):
        events = log.read("").events
        assert [(event.seq, event.fields["text"]) for event in events] == [
            (1, "first"),
            (2, "second"),
        ]


def test_a_transaction_that_is_always_rolled_back_ends_with_an_error(database: Database) -> None:
    attempts = list[int]()

    @repeat_rolled_back
    def write() -> None:
        attempts.append(1)
        with database.transaction("crossed/always") as connection:
            connection.execute("DO $$ BEGIN RAISE SQLSTATE '40P01'; END $$")

    with pytest.raises(RolledBack):
        write()
    assert len(attempts) > 1


def note(text: str) -> NewEvent:
    return NewEvent(op=EventType.NOTE, ts=None, fields={"text": text})
