"""Names, backups, checks and sizes of memories in a database, from the command line."""

import json
from collections.abc import Callable
from pathlib import Path

import psycopg
import pytest

from tests.ui.cli.conftest import RunCommand, no_models, run_command

__all__ = ["no_models", "run_command"]

Run = Callable[..., str]


@pytest.fixture
def root(tmp_path: Path, own_dsn: str, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("LTM_STORE__BACKEND", "postgres")
    monkeypatch.setenv("LTM_STORE__DSN", own_dsn)
    return tmp_path / "memories"


@pytest.fixture
def run(root: Path, run_command: RunCommand) -> Run:
    """Runs a command that has to succeed on another machine's empty folder; returns its output."""

    def act(*words: str | Path) -> str:
        done = run_command(*words, "--storage", root)
        assert done.returncode == 0, done.stderr
        return done.stdout

    return act


def rows(dsn: str, query: str) -> list[tuple[object, ...]]:
    with psycopg.connect(dsn, autocommit=True) as connection:
        connection.execute("SET search_path = ltm, public")
        found = connection.execute(query.encode())
        return found.fetchall() if found.description else []


def test_renamed_and_merged_memories_are_found_under_all_names(run: Run, own_dsn: str) -> None:
    run("remember", "ana", "mira", "My cat is called Biscuit.")
    run("remember", "ana", "nora", "My dog is called Comet.")
    run("names", "rename", "ana", "mira", "--to", "ana", "mimi")
    for name in ("mira", "mimi"):
        assert "Biscuit" in run("list", "ana", name)
    merged = json.loads(run("names", "merge", "ana", "mimi", "--into", "ana", "nora", "--json"))
    assert (merged["memories"], Path(merged["backup"]).is_file()) == (1, True)
    for name in ("mira", "mimi", "nora"):
        listed = run("list", "ana", name)
        assert ("Biscuit" in listed, "Comet" in listed) == (True, True)
    assert "Biscuit" in run("search", "ana", "nora", "cat")
    assert rows(own_dsn, "SELECT namespace FROM log_heads") == [("ana/nora",)]
    assert "all is sound" in run("doctor")


def test_restore_adds_what_is_missing_or_replaces_all(run: Run, tmp_path: Path) -> None:
    run("remember", "ana", "mira", "My cat is called Biscuit.")
    run("backup", "-o", tmp_path / "all.zip")
    (known,) = json.loads(run("list", "ana", "mira", "--json"))["memories"]
    run("remember", "ana", "mira", "I drink tea.")
    run("forget", "ana", "mira", known["id"])
    run("restore", "--merge", tmp_path / "all.zip")
    listed = run("list", "ana", "mira")
    assert ("Biscuit" in listed, "tea" in listed) == (False, True)
    run("restore", "--replace", tmp_path / "all.zip")
    listed = run("list", "ana", "mira")
    assert ("Biscuit" in listed, "tea" in listed) == (True, False)
    assert "Biscuit" in run("search", "ana", "mira", "cat")
    run("restore", tmp_path / "all.zip", "--user", "bea", "--character", "mira")
    assert "Biscuit" in run("list", "bea", "mira")
    assert "all is sound" in run("doctor")


def test_restore_refuses_to_overwrite_without_being_told_to(
    run: Run, root: Path, run_command: RunCommand, tmp_path: Path
) -> None:
    run("remember", "ana", "mira", "My cat is called Biscuit.")
    run("backup", "-o", tmp_path / "all.zip")
    done = run_command("restore", tmp_path / "all.zip", "--storage", root)
    assert (done.returncode, "--merge" in done.stderr) == (2, True)


def test_purge_leaves_no_row_of_the_namespace_and_a_backup(run: Run, own_dsn: str) -> None:
    run("remember", "ana", "mira", "My cat is called Biscuit.")
    run("remember", "ana", "nora", "My dog is called Comet.")
    deleted = json.loads(run("purge", "ana", "mira", "--confirm", "mira", "--json"))
    tables = rows(
        own_dsn,
        """SELECT c.table_name FROM information_schema.columns AS c
        JOIN pg_class AS r ON r.relname = c.table_name AND NOT r.relispartition
        WHERE c.table_schema = 'ltm' AND c.column_name = 'namespace'""",
    )
    assert len(tables) > 15
    left = {
        table: rows(own_dsn, f"SELECT count(*) FROM {table} WHERE namespace = 'ana/mira'")  # noqa: S608
        for (table,) in tables
    }
    assert {table for table, found in left.items() if found != [(0,)]} == set()
    assert "Comet" in run("list", "ana", "nora")
    run("restore", deleted["backups"][0])
    assert "Biscuit" in run("list", "ana", "mira")


def test_doctor_repairs_the_index_and_names_a_damaged_line(
    run: Run, root: Path, run_command: RunCommand, own_dsn: str
) -> None:
    run("remember", "ana", "mira", "My cat is called Biscuit.")
    assert "all is sound" in run("doctor")
    rows(own_dsn, "UPDATE namespaces SET live = live + 1")
    assert run_command("doctor", "--storage", root).returncode == 1
    assert "repaired: ana / mira" in run("doctor", "--repair")
    rows(own_dsn, "UPDATE log_lines SET line = overlay(line PLACING 'X'::bytea FROM 60)")
    damaged = run_command("doctor", "--repair", "--storage", root)
    assert (damaged.returncode, "restore --merge" in damaged.stdout) == (1, True)


def test_doctor_moves_what_was_written_under_a_name_while_it_changed(
    run: Run, root: Path, run_command: RunCommand, own_dsn: str
) -> None:
    run("remember", "ana", "mira", "My cat is called Biscuit.")
    aliases = "SELECT data FROM documents WHERE name = 'aliases.json'"
    run("remember", "ana", "nora", "My dog is called Comet.")
    run("names", "merge", "ana", "mira", "--into", "ana", "nora")
    ((saved,),) = rows(own_dsn, aliases)
    rows(own_dsn, "DELETE FROM documents WHERE name = 'aliases.json'")
    run("remember", "ana", "mira", "I drink tea.")  # by a server that knows the old names
    run("names", "alias", "somebody", "--of", "ana")
    with psycopg.connect(own_dsn, autocommit=True) as connection:
        connection.execute(
            "UPDATE ltm.documents SET data = %s WHERE name LIKE 'aliases%%'", [saved]
        )
    assert run_command("doctor", "--storage", root).returncode == 1
    run("doctor", "--repair")
    listed = run("list", "ana", "nora")
    assert [word for word in ("Biscuit", "Comet", "tea") if word not in listed] == []


def test_usage_counts_what_the_rows_take(run: Run) -> None:
    run("remember", "ana", "mira", "My cat is called Biscuit.")
    (used,) = json.loads(run("usage", "--json"))["namespaces"]
    assert used["logs"] > 100
    assert used["index"]["catalogue"] > 100
    assert used["index"]["words"] > 0


def test_the_mark_goes_when_files_are_used_again(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    run("remember", "ana", "mira", "A cat.")
    monkeypatch.setenv("LTM_STORE__BACKEND", "local")
    run("remember", "ana", "mira", "A dog.")
    assert "all is sound" in run("doctor")


def test_a_backup_of_a_database_can_be_restored_into_files(
    run: Run, tmp_path: Path, run_command: RunCommand, monkeypatch: pytest.MonkeyPatch
) -> None:
    for text in ("I have a cat called Biscuit.", "My secret is pomegranate."):
        run("remember", "backed up", "mira", text)
    (secret,) = [
        memory["id"]
        for memory in json.loads(run("list", "backed up", "mira", "--json"))["memories"]
        if "pomegranate" in str(memory)
    ]
    run("forget", "backed up", "mira", secret)
    for name in ("all.zip", "one.zip", "one.jsonl"):
        words = ("backup",) if name == "all.zip" else ("export", "backed up", "mira")
        form = ("--format", "jsonl") if name == "one.jsonl" else ()
        run(*words, *form, "-o", tmp_path / name)
    assert "Biscuit" in (tmp_path / "one.jsonl").read_text()
    monkeypatch.setenv("LTM_STORE__BACKEND", "local")
    for name in ("all.zip", "one.zip"):
        elsewhere = tmp_path / name.removesuffix(".zip")
        done = run_command("restore", tmp_path / name, "--storage", elsewhere)
        assert done.returncode == 0, done.stderr
        shown = run_command("list", "backed up", "mira", "--storage", elsewhere).stdout
        assert ("Biscuit" in shown, "pomegranate" in shown) == (True, False)
