"""Rows that an older version of the program computed are computed anew from the log, by one of
several programs, while the others go on.
"""

import time
from collections.abc import Callable, Iterator, Mapping
from itertools import count
from pathlib import Path
from threading import Barrier, Thread
from typing import Any

import psycopg
import pytest

from memory_core.domain.errors import StorageFailed
from memory_core.domain.namespaces import Namespace
from memory_core.memory.long_term_memory import LongTermMemory
from memory_core.providers.embedders.fake import FakeEmbedder
from memory_core.storage.engine import postgres_engine
from memory_core.storage.index.catalog.schema import VERSION
from memory_core.storage.log.contract import Log
from memory_core.storage.log.tail_reader import UnreadEvents, read_unread
from memory_core.storage.postgres import database, derived_version
from memory_core.storage.postgres.names import stored_name
from tests.builders import NOW, Clock, asked, derive_all, open_memory, recalled, said
from tests.scale.servers import Server

CAT, DOG = "My cat is called Biscuit.", "My dog is called Rex."
OpenShared = Callable[[], LongTermMemory]
_NUMBERS = count()


@pytest.fixture
def space() -> Namespace:
    return Namespace("ana", f"derived {next(_NUMBERS)}")


@pytest.fixture
def open_shared(primary: Server, tmp_path: Path) -> Iterator[OpenShared]:
    """Opens the memory of a further program."""
    clock, opened = Clock(), list[LongTermMemory]()

    def open_one() -> LongTermMemory:
        engine = postgres_engine(primary.dsn(), tmp_path / "memories", time_limit_s=10)
        opened.append(
            open_memory(tmp_path, open_store=engine, clock=clock, embedder=FakeEmbedder())
        )
        return opened[-1]

    yield open_one
    for memory in opened:
        memory.close()


class Rows:
    """The rows of one namespace, as the owner of the tables sees and changes them."""

    def __init__(self, connection: "psycopg.Connection[Any]", space: Namespace) -> None:
        self.key = stored_name(space.relative_folder)
        self.connection = connection
        connection.execute("SET search_path = ltm, public")
        connection.execute("SELECT set_config('ltm.namespace', %s, false)", (self.key,))

    def run(self, sql: str, *values: object) -> Any:
        return self.connection.execute(sql, (*values, self.key))

    def one(self, sql: str) -> Any:
        return self.run(sql).fetchone()[0]

    def set_version(self, version: int) -> None:
        self.run("UPDATE namespaces SET derived = %s WHERE namespace = %s", version)

    def age(self) -> None:
        """Leaves the rows as a version might have that read no dates, and split words otherwise."""
        self.run("DELETE FROM mentioned_times WHERE namespace = %s")
        self.run("UPDATE postings SET term = 'bis' || term WHERE namespace = %s")
        self.set_version(VERSION - 1)

    @property
    def version(self) -> int:
        return int(self.one("SELECT derived FROM namespaces WHERE namespace = %s"))

    @property
    def mentioned(self) -> int:
        return int(self.one("SELECT count(*) FROM mentioned_times WHERE namespace = %s"))


@pytest.fixture
def rows(primary: Server, space: Namespace) -> Iterator[Rows]:
    with psycopg.connect(primary.dsn(), autocommit=True) as connection:
        yield Rows(connection, space)


def find(memory: LongTermMemory, space: Namespace, question: str) -> list[str]:
    return recalled(memory.recall(space, asked(question)))


def test_rows_of_an_older_version_are_computed_anew(
    open_shared: OpenShared, space: Namespace, rows: Rows
) -> None:
    memory = open_shared()
    memory.remember(space, "talk", said(f"{CAT} We see the vet on 12 May 2031.", ts=NOW))
    derive_all(memory, space)
    assert (rows.version, rows.mentioned) == (VERSION, 1)
    vectors = rows.run("SELECT vector_id, xmin FROM vectors WHERE namespace = %s").fetchall()
    rows.age()
    derive_all(memory, space)
    assert (rows.version, rows.mentioned) == (VERSION, 1)
    assert "Biscuit" in find(memory, space, "What is my cat called?")[0]
    assert rows.one("SELECT count(*) FROM postings WHERE namespace = %s AND term LIKE 'bis%%'") == 1
    assert vectors
    found = rows.run("SELECT vector_id, xmin FROM vectors WHERE namespace = %s").fetchall()
    assert found == vectors  # nothing was embedded again


def test_one_of_several_programs_computes_the_rows(
    open_shared: OpenShared, space: Namespace, rows: Rows
) -> None:
    memories = [open_shared() for _ in range(3)]
    memories[0].remember(space, "talk", said(CAT))
    for memory in memories:
        find(memory, space, CAT)
    rows.age()
    both, done = Barrier(len(memories)), list[bool]()

    def upkeep(memory: LongTermMemory) -> None:
        with memory.open_namespace(space) as opened:
            both.wait()
            done.append(opened.store.maintain())

    threads = [Thread(target=upkeep, args=(memory,)) for memory in memories]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(done) == [False, False, True]
    assert all("Biscuit" in find(one, space, "What is my cat called?")[0] for one in memories)


def test_others_read_old_rows_and_store_while_one_computes(
    open_shared: OpenShared, space: Namespace, rows: Rows
) -> None:
    memory = open_shared()
    memory.remember(space, "talk", said(CAT))
    assert find(memory, space, "What is my cat called?") == [CAT]
    rows.set_version(VERSION - 1)
    rows.run("SELECT pg_advisory_lock(hashtextextended(%s, 22))")
    memory.remember(space, "talk", said(DOG))
    assert find(memory, space, "What is my cat called?") == [CAT]
    assert DOG not in find(memory, space, "What is my dog called?")
    rows.run("SELECT pg_advisory_unlock(hashtextextended(%s, 22))")
    assert DOG in find(memory, space, "What is my dog called?")


def test_program_leaves_the_rows_of_a_newer_version_alone(
    open_shared: OpenShared, space: Namespace, rows: Rows, caplog: pytest.LogCaptureFixture
) -> None:
    memory = open_shared()
    cat = memory.remember(space, "talk", said(CAT))
    derive_all(memory, space)
    rows.set_version(VERSION + 1)
    memory.remember(space, "talk", said(DOG))
    derive_all(memory, space)
    assert rows.version == VERSION + 1
    assert find(memory, space, "What is my cat called?") == [CAT]
    assert rows.one("SELECT count(*) FROM memories WHERE namespace = %s") == 1
    assert "update this program" in caplog.text
    with memory.open_namespace(space) as opened, pytest.raises(StorageFailed, match="update"):
        opened.store.erase([cat])
    rows.set_version(VERSION)  # as if this were the newer one
    assert DOG in find(memory, space, "What is my dog called?")


def test_failure_while_the_rows_are_computed_leaves_the_old_ones(
    open_shared: OpenShared, space: Namespace, rows: Rows
) -> None:
    memory = open_shared()
    memory.remember(space, "talk", said(CAT))
    assert find(memory, space, "What is my cat called?") == [CAT]
    rows.set_version(VERSION - 1)
    rows.connection.execute("ALTER TABLE erased_partitions RENAME TO away")
    try:
        with memory.open_namespace(space) as opened, pytest.raises(StorageFailed):
            opened.store.maintain()
        assert find(memory, space, "What is my cat called?") == [CAT]
        assert rows.version == VERSION - 1
    finally:
        rows.connection.execute("ALTER TABLE away RENAME TO erased_partitions")
    derive_all(memory, space)
    assert rows.version == VERSION


def test_reading_a_long_log_does_not_end_the_transaction(
    open_shared: OpenShared, space: Namespace, rows: Rows, monkeypatch: pytest.MonkeyPatch
) -> None:
    shorter = database._BEGIN_SESSION.replace("'60s'", "'1s'")
    assert shorter != database._BEGIN_SESSION
    monkeypatch.setattr(database, "_BEGIN_SESSION", shorter)
    memory = open_shared()
    memory.remember(space, "talk", said(CAT))
    derive_all(memory, space)
    rows.set_version(VERSION - 1)
    idle = """SELECT count(*) FROM pg_stat_activity
        WHERE state = 'idle in transaction' AND application_name = 'long-term-memory'"""
    idle_for_long = f"{idle} AND state_change < clock_timestamp() - interval '1500 ms'"

    def read_slowly(log: Log, done: Mapping[str, int], logs: Mapping[str, int]) -> UnreadEvents:
        """Reads the log once the transaction has been idle for longer than others may be."""
        while (
            rows.connection.execute(idle).fetchone()[0]
            and not rows.connection.execute(idle_for_long).fetchone()[0]
        ):
            time.sleep(0.02)
        return read_unread(log, done, logs)

    monkeypatch.setattr(derived_version, "read_unread", read_slowly)
    derive_all(memory, space)
    assert rows.version == VERSION
    assert find(memory, space, "What is my cat called?") == [CAT]
