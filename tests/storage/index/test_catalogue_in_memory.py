"""In a read-only folder the catalogue is in memory: reading and writing at the same time."""

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
def catalogue(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Database]:
    """Yields a catalogue in memory. os.access is replaced, since root may write everywhere."""
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


def write(catalogue: Database) -> None:
    with catalogue.transaction() as db:
        db.execute(WRITTEN)


def test_catalogue_in_memory_reads_what_a_writer_committed(
    catalogue: Database, beside: ThreadPoolExecutor
) -> None:
    with catalogue.transaction() as db:
        db.execute(WRITTEN)
        reading = beside.submit(catalogue.rows, READ)
        given_time(reading)
    assert reading.result() == [("talk",)]


def test_catalogue_in_memory_writes_after_the_reader_is_done(
    catalogue: Database, beside: ThreadPoolExecutor
) -> None:
    with catalogue.read_connection() as db:
        assert db.execute(READ).fetchall() == []
        writing = beside.submit(write, catalogue)
        given_time(writing)
        assert catalogue.rows(READ) == []
    writing.result()
    assert catalogue.rows(READ) == [("talk",)]


def test_catalogue_version_changes_with_a_write(catalogue: Database) -> None:
    before = catalogue.version()
    write(catalogue)
    assert catalogue.version() != before
