"""One PostgreSQL server for all tests of a run that need one, and logs in its tables."""

import importlib.util
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.scale.servers import Server, cluster

if TYPE_CHECKING:
    from memory_core.storage.postgres.database import Database
    from memory_core.storage.postgres.table_log import TableLog

HERE = Path(__file__).resolve().parent
# `make test` has no driver; `make test-scale` installs it, and fails if nothing is collected.
collect_ignore_glob = [] if importlib.util.find_spec("psycopg") else ["test_*.py"]
_NUMBERS = count()

MakeLog = Callable[[], "TableLog"]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if item.path.is_relative_to(HERE):
            item.add_marker(pytest.mark.scale)


@pytest.fixture(scope="session")
def primary() -> Iterator[Server]:
    # The machine does not crash: what is synced to its disk proves nothing here, and takes long.
    with cluster(settings={"fsync": "off"}) as servers:
        yield servers.servers[0]


@pytest.fixture
def own_dsn(primary: Server) -> Iterator[str]:
    """Returns the address of an empty database, which no other test has."""
    name = f"own_{next(_NUMBERS)}"
    primary.execute(f"CREATE DATABASE {name}")
    yield primary.dsn(name)
    primary.execute(f"DROP DATABASE {name} WITH (FORCE)")


@pytest.fixture
def database(primary: Server) -> Iterator["Database"]:
    from memory_core.storage.postgres.database import Database

    opened = Database(primary.dsn())
    yield opened
    opened.close()


@pytest.fixture
def table_log(database: "Database", tmp_path: Path) -> MakeLog:
    """Opens the log of one namespace, which no other test has, as often as it is called."""
    from memory_core.storage.postgres.table_log import TableLog

    namespace = f"user/{next(_NUMBERS)}"
    return lambda: TableLog(database, namespace, tmp_path / "space")
