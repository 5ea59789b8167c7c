"""One PostgreSQL server for all tests of a run that need one."""

import importlib.util
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.scale.servers import Server, cluster

HERE = Path(__file__).resolve().parent
# `make test` has no driver; `make test-scale` installs it, and fails if nothing is collected.
collect_ignore_glob = [] if importlib.util.find_spec("psycopg") else ["test_*.py"]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if HERE in item.path.parents:
            item.add_marker(pytest.mark.scale)


@pytest.fixture(scope="session")
def primary() -> Iterator[Server]:
    with cluster() as servers:
        yield servers.servers[0]
