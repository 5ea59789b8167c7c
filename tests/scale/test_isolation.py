"""No query can cross namespaces, not even one that forgets to name its own."""

import psycopg
import pytest

from memory_core.domain.errors import StorageFailed
from memory_core.storage.postgres.database import Database
from memory_core.storage.postgres.store import PostgresStore
from tests.builders import added, said
from tests.scale.servers import Server
from tests.storage.index.scene import found

UNPROTECTED = """SELECT c.relname FROM pg_class AS c
    JOIN pg_attribute AS a ON a.attrelid = c.oid AND a.attname = 'namespace'
    WHERE c.relnamespace = 'ltm'::regnamespace AND c.relkind IN ('r', 'p')
    AND NOT c.relispartition AND NOT (c.relrowsecurity AND c.relforcerowsecurity)"""
GRANTED_PARTITIONS = """SELECT c.relname FROM pg_class AS c
    WHERE c.relnamespace = 'ltm'::regnamespace AND c.relispartition AND c.relkind = 'r'
    AND has_table_privilege('ltm_application', c.oid, 'SELECT')"""
ROLE = "SELECT rolsuper, rolbypassrls FROM pg_roles WHERE rolname = current_user"
OWNED = """SELECT count(*) FROM pg_class AS c JOIN pg_roles AS r ON r.oid = c.relowner
    WHERE r.rolname = 'ltm_application'"""


@pytest.fixture
def two(database: Database) -> Database:
    for user in ("isolated-ana", "isolated-ben"):
        store = PostgresStore(database, f"{user}/mira")
        store.clear()
        store.apply([added(1, f"of-{user}", said(f"words of {user}"))], {"talk": 10})
    return database


def test_a_query_without_a_namespace_sees_one_namespace(two: Database) -> None:
    for user in ("isolated-ana", "isolated-ben"):
        assert two.rows(f"{user}/mira", "SELECT id FROM memories") == [(f"of-{user}",)]
        assert two.rows(f"{user}/mira", "SELECT namespace FROM namespaces") == [(f"{user}/mira",)]


def test_nothing_can_be_written_into_another_namespace(two: Database) -> None:
    with pytest.raises(StorageFailed, match="row-level security"):
        two.rows(
            "isolated-ana/mira",
            "INSERT INTO log_positions VALUES ('isolated-ben/mira', 'talk', 5) RETURNING 1",
        )
    changed = "UPDATE memories SET data = '' WHERE namespace = 'isolated-ben/mira' RETURNING 1"
    assert two.rows("isolated-ana/mira", changed) == []


def test_a_search_finds_nothing_of_another_user(two: Database) -> None:
    store = PostgresStore(two, "isolated-ana/mira")
    assert found(store, "words of ben and ana") == ["of-isolated-ana"]
    assert store.catalog.get(["of-isolated-ben"]) == {}


def test_every_table_with_namespaces_is_protected(two: Database, primary: Server) -> None:
    with psycopg.connect(primary.dsn()) as owner:
        assert owner.execute(UNPROTECTED).fetchall() == []
        assert owner.execute(GRANTED_PARTITIONS).fetchall() == []
        assert owner.execute(OWNED).fetchone() == (0,)
    assert two.rows("isolated-ana/mira", ROLE) == [(False, False)]
