"""What only the store in PostgreSQL promises: migrations, several writers, erasure, its index."""

from threading import Barrier, Thread

import numpy as np
import psycopg
import pytest

from memory_core.domain.errors import StorageFailed
from memory_core.providers.embedders.base import unit
from memory_core.storage.contract import SearchFilter
from memory_core.storage.listing import SessionQuery
from memory_core.storage.log.events import EventType
from memory_core.storage.postgres import vectors
from memory_core.storage.postgres.database import Database
from memory_core.storage.postgres.migrations import known_migrations
from memory_core.storage.postgres.store import PostgresStore
from memory_core.storage.postgres.writes import scrub
from tests.builders import added, said
from tests.scale.servers import Server, cluster
from tests.storage.index.scene import change, embed_all, found

ERASED = ["Quetzalcoatlus", "Xylophonistin"]
KEPT = "Brachiosaurus"
INDEXES = "SELECT indexdef FROM pg_indexes WHERE indexname LIKE 'hnsw%'"


@pytest.fixture
def store(database: Database) -> PostgresStore:
    opened = PostgresStore(database, "store-tests/mira")
    opened.clear()
    return opened


def test_programs_that_begin_together_migrate_once(primary: Server) -> None:
    with psycopg.connect(primary.dsn(), autocommit=True) as owner:
        owner.execute("CREATE DATABASE migrated")
    dsn = primary.dsn("migrated")
    both, done = Barrier(3), list[int]()

    def begin() -> None:
        database = Database(dsn, time_limit_s=30)
        both.wait()
        done.append(PostgresStore(database, "a/b").counts()["live"])
        database.close()

    threads = [Thread(target=begin) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert done == [0, 0, 0]
    with psycopg.connect(dsn) as owner:
        numbers = owner.execute("SELECT number FROM ltm.migrations ORDER BY number").fetchall()
    assert numbers == [(migration.number,) for migration in known_migrations()]


def test_a_database_of_a_newer_version_is_refused(primary: Server) -> None:
    with psycopg.connect(primary.dsn(), autocommit=True) as owner:
        owner.execute("CREATE DATABASE newer")
    dsn = primary.dsn("newer")
    first, second = Database(dsn), Database(dsn)
    PostgresStore(first, "a/b").counts()
    first.close()
    with psycopg.connect(dsn, autocommit=True) as owner:
        owner.execute("INSERT INTO ltm.migrations VALUES (9999, 'later')")
    with pytest.raises(StorageFailed, match=r"9999.*update the program"):
        PostgresStore(second, "a/b").counts()


def test_writers_of_one_namespace_do_not_lose_each_others_events(
    database: Database, store: PostgresStore
) -> None:
    both = Barrier(4)

    def write(writer: int) -> None:
        own = PostgresStore(database, "store-tests/mira")
        both.wait()
        for n in range(10):
            name = f"{writer}-{n}"
            own.apply([added(1 + writer * 10 + n, name, said(f"dog {name}"), log=name)], {name: 1})

    threads = [Thread(target=write, args=(writer,)) for writer in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert store.counts()["live"] == len(store.positions()) == 40
    assert store.fulltext.corpus(["dog"]).document_frequency == {"dog": 40}
    assert store.find_damage() == []


def test_erased_words_are_gone_from_the_servers_files() -> None:
    with cluster(settings={"wal_recycle": "off", "min_wal_size": "32MB"}) as servers:
        server = servers.servers[0]
        database = Database(server.dsn())
        store = PostgresStore(database, "ana/mira")
        store.apply([added(1, "id1", said(" and ".join(ERASED))), added(2, "id2", said(KEPT))], {})
        embed_all(store)
        store.apply([change(EventType.FORGET, "id1", sealed="x")], {})
        store.erase(["id1"])
        assert scrub(database) == 1
        assert scrub(database) == 0
        database.close()
        server.stop()
        data = b"".join(
            path.read_bytes().lower() for path in server.data.rglob("*") if path.is_file()
        )
    assert KEPT.lower().encode() in data
    assert [word for word in ERASED if word.lower().encode() in data] == []


@pytest.fixture
def indexed(store: PostgresStore, monkeypatch: pytest.MonkeyPatch) -> PostgresStore:
    """300 memories whose vectors have an index."""
    monkeypatch.setattr(vectors, "_INDEXED_FROM", 100)
    random = np.random.default_rng(7)
    store.apply([added(n, f"id{n}", said(f"text {n}", "")) for n in range(1, 301)], {})
    store.vectors.use_model("indexed", 24)
    waiting = store.vectors.pending(1000)
    rows = unit(random.standard_normal((len(waiting), 24)))
    store.vectors.add([pending.vector_id for pending in waiting], rows)
    return store


def test_a_large_namespace_gets_an_index_of_its_own(
    indexed: PostgresStore, primary: Server
) -> None:
    before = indexed.vectors.search(unit(np.ones((1, 24)))[0], limit=10)
    while indexed.maintain():
        pass
    with psycopg.connect(primary.dsn()) as owner:
        (own,) = owner.execute(INDEXES).fetchall()
    assert "store-tests/mira" in own[0]
    after = indexed.vectors.search(unit(np.ones((1, 24)))[0], limit=10)
    assert len(set(before) & set(after)) >= 9
    few = indexed.vectors.search(
        unit(np.ones((1, 24)))[0], limit=10, only=SearchFilter(until_seq=12)
    )
    assert len(few) == 10
    assert all(int(memory_id[2:]) <= 12 for memory_id in few)


def test_names_that_postgresql_cannot_store_come_back(database: Database) -> None:
    odd = "a\0b%0000\ud800"
    store = PostgresStore(database, "odd/names")
    store.clear()
    store.apply([added(1, odd, said("the dog \0 barks"), log=odd)], {odd: 7})
    assert store.positions() == {odd: 7}
    assert found(store, "dog") == [odd]
    assert [record.id for record in store.catalog.known_exchanges(odd)] == [odd]
    assert [span.conversation for span in store.catalog.list_sessions(SessionQuery())] == [odd]
