"""Work on files is refused where the memories are in a database."""

import json
from pathlib import Path

import pytest

from tests.ui.cli.conftest import RunCommand, no_models, run_command

__all__ = ["no_models", "run_command"]


@pytest.fixture
def root(tmp_path: Path, own_dsn: str, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("LTM_STORE__BACKEND", "postgres")
    monkeypatch.setenv("LTM_STORE__DSN", own_dsn)
    return tmp_path / "memories"


@pytest.mark.parametrize(
    "words",
    [
        ("doctor",),
        ("names", "rename", "ana", "mira", "--to", "ana", "nora"),
    ],
)
def test_a_command_on_files_says_that_the_memories_are_in_a_database(
    root: Path, run_command: RunCommand, words: tuple[str, ...]
) -> None:
    kept = run_command("remember", "ana", "mira", "I have a cat.", "--storage", root)
    assert kept.returncode == 0, kept.stderr
    done = run_command(*words, "--storage", root)
    assert (done.returncode, "are in a database" in done.stderr) == (1, True), done
    assert "I have a cat." in run_command("list", "ana", "mira", "--storage", root).stdout


def test_the_mark_goes_when_files_are_used_again(
    root: Path, run_command: RunCommand, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert run_command("remember", "ana", "mira", "A cat.", "--storage", root).returncode == 0
    monkeypatch.setenv("LTM_STORE__BACKEND", "local")
    assert run_command("remember", "ana", "mira", "A dog.", "--storage", root).returncode == 0
    assert run_command("doctor", "--storage", root).returncode == 0


def test_a_backup_of_a_database_can_be_restored_into_files(
    root: Path, tmp_path: Path, run_command: RunCommand, monkeypatch: pytest.MonkeyPatch
) -> None:
    for text in ("I have a cat called Biscuit.", "My secret is pomegranate."):
        done = run_command("remember", "backed up", "mira", text, "--storage", root)
        assert done.returncode == 0, done.stderr
    (secret,) = [
        memory["id"]
        for memory in json.loads(
            run_command("list", "backed up", "mira", "--json", "--storage", root).stdout
        )["memories"]
        if "pomegranate" in str(memory)
    ]
    forgotten = run_command("forget", "backed up", "mira", secret, "--storage", root)
    for name in ("all.zip", "one.zip", "one.jsonl"):
        words = ("backup",) if name == "all.zip" else ("export", "backed up", "mira")
        form = ("--format", "jsonl") if name == "one.jsonl" else ()
        done = run_command(*words, *form, "-o", tmp_path / name, "--storage", root)
        assert done.returncode == 0, done.stderr
    assert "Biscuit" in (tmp_path / "one.jsonl").read_text()
    assert forgotten.returncode == 0, forgotten.stderr
    monkeypatch.setenv("LTM_STORE__BACKEND", "local")
    for name in ("all.zip", "one.zip"):
        elsewhere = tmp_path / name.removesuffix(".zip")
        done = run_command("restore", tmp_path / name, "--storage", elsewhere)
        assert done.returncode == 0, done.stderr
        shown = run_command("list", "backed up", "mira", "--storage", elsewhere).stdout
        assert ("Biscuit" in shown, "pomegranate" in shown) == (True, False)
