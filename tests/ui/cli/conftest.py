"""Runs commands in the process of the tests: starting a program takes a second."""

from collections.abc import Callable
from dataclasses import dataclass

import pytest

from memory_core.ui.cli.main import main


@dataclass(frozen=True, slots=True)
class Ended:
    """A command that has ended, like a program: its exit code and what it printed."""

    returncode: int
    stdout: str
    stderr: str


RunCommand = Callable[..., Ended]


@pytest.fixture
def no_models(monkeypatch: pytest.MonkeyPatch) -> None:
    """Commands find no models."""
    monkeypatch.setenv("LTM_EMBEDDER__KIND", "none")


@pytest.fixture
def run_command(capsys: pytest.CaptureFixture[str], no_models: None) -> RunCommand:
    """Runs a command line without models."""

    def run(*args: object) -> Ended:
        capsys.readouterr()
        try:
            code = main([*map(str, args)])
        except SystemExit as exc:  # argparse ends the program
            code = int(exc.code or 0)
        printed = capsys.readouterr()
        return Ended(code, printed.out, printed.err)

    return run
