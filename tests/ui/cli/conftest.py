"""Runs commands in the process of the tests: starting a program takes a second."""

import logging
from collections.abc import Callable, Iterator
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


@pytest.fixture(autouse=True)
def usual_logging() -> Iterator[None]:
    """Takes back what a server in this process did to the logs, which later tests read."""
    root, own = logging.getLogger(), logging.getLogger("long_term_memory")
    handlers, levels = [*root.handlers], (root.level, own.level)
    yield
    root.handlers[:] = handlers
    root.setLevel(levels[0])
    own.setLevel(levels[1])


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
