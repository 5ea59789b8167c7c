"""In a read-only folder the catalog is in memory: reading and writing at the same time."""

import os
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path

import pytest

from memory_core.storage.index.catalog.database import Database

PATIENCE_S = 0.2
WRITTEN = "INSERT INTO logs VALUES ('talk', 9)"
READ = "SELECT log FROM logs"


@pytest.fixture
def catalog(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Database]:
    """Yields a catalog in memory. os.access is replaced, since root may write everywhere."""
    monkeypatch.setattr(os, "access", lambda *_: False)
    made = Database(folder / "catalogue.sqlite")
    assert not (folder / "catalogue.sqlite").exists()
    yield made
    made.close()


@pytest.fixture
def beside() -> Iterator[ThreadPoolExecutor]:
    with ThreadPoolExecutor(1) as pool:
        yield pool


def given_time(work: Future[object]) -> None:
    with suppress(TimeoutError):
        work.result(PATIENCE_S)


def write(catalog: Database) -> None:
    with catalog.transaction() as db:
        db.execute(WRITTEN)


def test_catalog_in_memory_reads_what_a_writer_committed(
    catalog: Database, beside: ThreadPoolExecutor
) -> None:
    with catalog.transaction() as db:
        db.execute(WRITTEN)
        reading = beside.submit(catalog.rows, READ)
        given_time(reading)
    assert reading.result() == [("talk",)]


def test_catalog_in_memory_writes_after_the_reader_is_done(
    catalog: Database, beside: ThreadPoolExecutor
) -> None:
    with catalog.read_connection() as db:
        assert db.execute(READ).fetchall() == []
        writing = beside.submit(write, catalog)
        given_time(writing)
        assert catalog.rows(READ) == []
    writing.result()
    assert catalog.rows(READ) == [("talk",)]


def test_catalog_version_changes_with_a_write(catalog: Database) -> None:
    before = catalog.version()
    write(catalog)
    assert catalog.version() != before
