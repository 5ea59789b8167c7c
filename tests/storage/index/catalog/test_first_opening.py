"""Two programs create one catalog at the same time, and neither takes the other's file away."""

import os
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from memory_core.storage.index.catalog import database as database_module
from memory_core.storage.index.catalog.database import Database
from memory_core.storage.index.catalog.schema import VERSION, fill

COUNT = "SELECT count(*) FROM entries"


def test_new_catalog_is_never_seen_without_its_tables(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, seen = tmp_path / "catalogue.sqlite", []
    connect = sqlite3.connect

    def look(place, **options):
        if path.exists():
            db = connect(path)
            seen.append(db.execute("SELECT count(*) FROM sqlite_master").fetchone()[0])
            db.close()
        return connect(place, **options)

    monkeypatch.setattr(database_module.sqlite3, "connect", look)
    database = Database(path)
    database.recreate()
    database.close()
    assert seen
    assert all(seen), "another program would delete such a file, and create its own"


def test_catalog_that_another_program_created_meanwhile_is_used(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "catalogue.sqlite"
    others: list[Database] = []
    link = os.link

    def late(source, target):
        monkeypatch.setattr(os, "link", link)
        others.append(Database(path))
        link(source, target)

    monkeypatch.setattr(os, "link", late)
    own = Database(path)
    assert own.is_in_place()
    assert others[0].is_in_place()
    with others[0].transaction() as db:
        db.execute("PRAGMA user_version = 77")
    assert own.rows("PRAGMA user_version") == [(77,)]
    assert own.rows(COUNT) == [(0,)]
    for database in (own, *others):
        database.close()
    assert sorted(found.name for found in tmp_path.iterdir()) == ["catalogue.sqlite"]


def test_catalog_is_created_where_files_cannot_be_linked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(source, target):
        raise OSError("no links here")

    monkeypatch.setattr(os, "link", refuse)
    database = Database(tmp_path / "catalogue.sqlite")
    assert database.rows(COUNT) == [(0,)]
    database.close()


def test_new_catalog_has_all_tables_and_a_generation_of_its_own(tmp_path: Path) -> None:
    tables, totals = "SELECT sql FROM sqlite_master ORDER BY name", "SELECT * FROM totals"
    generations = set()
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as filled:
        fill(filled)
        for name in "one", "two", "three":
            database = Database(tmp_path / name)
            assert database.rows(tables) == filled.execute(tables).fetchall()
            assert database.rows("PRAGMA user_version") == [(VERSION,)]
            ((live, length, generation, seq),) = database.rows(totals)
            assert (live, length, seq) == (0, 0, 0)
            generations.add(generation)
            database.close()
    assert len(generations) == 3
