"""Runs every contract test over all stores; the local one gets a folder.

PostgreSQL takes part if SCALE_TESTS is set (make test-scale): it needs the extra scale-tests,
and starts a server of its own.
"""

import os
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path

import pytest

from memory_core.storage.index.local import LocalStore
from memory_core.storage.store import MemoryStore
from tests.builders import HOUR, NOW, added, said
from tests.storage.index.in_memory.store import InMemoryStore
from tests.storage.index.scene import TALK, MakeStore

IS_SCALED = bool(os.environ.get("SCALE_TESTS"))
STORES = ["local", "in memory", *(["postgres"] if IS_SCALED else [])]
OpenNamespace = Callable[[str], MemoryStore]
_NUMBERS = count()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "index"


@pytest.fixture(scope="session")
def open_namespace() -> Iterator[OpenNamespace]:
    """Opens namespaces of one database, on a server that runs as long as the tests."""
    from memory_core.storage.postgres.database import Database
    from memory_core.storage.postgres.store import PostgresStore
    from tests.scale.servers import cluster

    with cluster(settings={"fsync": "off"}) as servers:
        database = Database(servers.servers[0].dsn(), time_limit_s=30.0)
        yield lambda namespace: PostgresStore(database, namespace)
        database.close()


@pytest.fixture(params=STORES)
def make_store(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[MakeStore]:
    made: list[MemoryStore] = []

    def make() -> MemoryStore:
        folder = tmp_path / str(len(made))
        if request.param == "postgres":
            made.append(request.getfixturevalue("open_namespace")(f"ana/{next(_NUMBERS)}"))
        else:
            made.append(LocalStore(folder) if request.param == "local" else InMemoryStore())
        return made[-1]

    yield make
    for store in made:
        store.close()


@pytest.fixture
def store(make_store: MakeStore) -> MemoryStore:
    """Five exchanges: id1 … id5, seq 1 … 5, an hour apart, the first an hour after NOW."""
    filled = make_store()
    lines = [
        added(n, f"id{n}", said(text, ts=NOW + HOUR * n)) for n, text in enumerate(TALK, start=1)
    ]
    filled.apply(lines, {"talk": 500})
    return filled
