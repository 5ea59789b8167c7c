"""Commands and the demo say that the memories are in a database, and when it is away."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.scale.servers import HOST, free_port
from tests.ui.cli.conftest import RunCommand, no_models, run_command

__all__ = ["no_models", "run_command"]

PROJECT = Path(__file__).resolve().parents[2]


def use_database(monkeypatch: pytest.MonkeyPatch, dsn: str) -> None:
    monkeypatch.setenv("LTM_STORE__BACKEND", "postgres")
    monkeypatch.setenv("LTM_STORE__DSN", dsn)


@pytest.mark.parametrize("command", [("doctor",), ("usage",), ("backup", "-o", "copy.zip")])
def test_command_on_an_empty_database_names_the_database_and_no_folder(
    command: tuple[str, ...],
    own_dsn: str,
    run_command: RunCommand,
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    use_database(monkeypatch, own_dsn)
    done = run_command(*command, "--storage", tmp_path)
    said = done.stdout + done.stderr
    assert "there are no memories in the database of store.dsn" in said
    assert str(tmp_path) not in said
    assert " free" not in said  # on the disk of this machine


def test_demo_without_its_database_ends_with_one_sentence(tmp_path: Path) -> None:
    port = free_port()  # nobody listens there
    environ = {
        **os.environ,
        "PYTHONPATH": str(PROJECT),
        "LTM_EMBEDDER__KIND": "none",
        "LTM_STORE__BACKEND": "postgres",
        "LTM_STORE__DSN": f"postgresql://user:secret@{HOST}:{port}/ltm",
    }
    command = [sys.executable, "-m", "memory_core.ui.demo", "--folder", str(tmp_path)]
    done = subprocess.run(
        command, cwd=tmp_path, env=environ, capture_output=True, text=True, check=False
    )
    assert done.returncode == 1
    assert done.stderr.startswith("The demo cannot start: the PostgreSQL database 'ltm' at ")
    assert f"{port} cannot be reached: connection to server at" in done.stderr
    assert "secret" not in done.stderr
    assert len(done.stderr.splitlines()) == 1
