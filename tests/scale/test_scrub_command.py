"""The command that removes erased words from the database's files."""

import json
from pathlib import Path

import pytest

from memory_core.storage.log.events import EventType
from memory_core.storage.postgres.database import Database
from memory_core.storage.postgres.store import PostgresStore
from tests.builders import added, said
from tests.scale.servers import Server
from tests.storage.index.scene import change
from tests.ui.cli.conftest import RunCommand, no_models, run_command

__all__ = ["no_models", "run_command"]


def test_scrub_rewrites_the_parts_with_erased_words_once(
    primary: Server, run_command: RunCommand, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    database = Database(primary.dsn())
    store = PostgresStore(database, "scrubbed/mira")
    store.apply([added(1, "id1", said("I sing in the bath"))], {})
    store.apply([change(EventType.FORGET, "id1", sealed="x")], {})
    store.erase(["id1"])
    database.close()
    monkeypatch.setenv("LTM_STORE__BACKEND", "postgres")
    monkeypatch.setenv("LTM_STORE__DSN", primary.dsn())
    folder = ("--storage", tmp_path)
    assert json.loads(run_command("scrub", *folder, "--json").stdout)["rewritten"] >= 1
    assert json.loads(run_command("scrub", *folder, "--json").stdout) == {"rewritten": 0}


def test_scrub_of_memories_in_files_says_that_there_is_nothing_to_do(
    run_command: RunCommand, tmp_path: Path
) -> None:
    done = run_command("scrub", "--storage", tmp_path)
    assert (done.returncode, "store.backend is local" in done.stderr) == (2, True), done
