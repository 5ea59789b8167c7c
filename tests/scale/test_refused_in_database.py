"""Work on files is refused where the memories are in a database."""

from pathlib import Path

import pytest

from tests.scale.servers import Server
from tests.ui.cli.conftest import RunCommand, no_models, run_command

__all__ = ["no_models", "run_command"]


@pytest.fixture
def root(tmp_path: Path, primary: Server, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("LTM_STORE__BACKEND", "postgres")
    monkeypatch.setenv("LTM_STORE__DSN", primary.dsn())
    return tmp_path / "memories"


@pytest.mark.parametrize(
    "words",
    [
        ("doctor",),
        ("backup", "--output", "all.zip"),
        ("export", "ana", "mira", "--output", "one.jsonl"),
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
