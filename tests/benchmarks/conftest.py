"""Runs benchmarks in the process of the tests: starting a program takes most of a second."""

import importlib
import sys
from collections.abc import Callable
from dataclasses import dataclass

import pytest


@dataclass(frozen=True, slots=True)
class Ended:
    """A benchmark that has ended, like a program: its exit code and what it printed."""

    returncode: int
    stdout: str
    stderr: str


RunBenchmark = Callable[..., Ended]


@pytest.fixture
def run_benchmark(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> RunBenchmark:
    """Runs benchmarks/<name>.py with a command line."""

    def run(name: str, *options: object) -> Ended:
        capsys.readouterr()
        monkeypatch.setattr(sys, "argv", [f"benchmarks/{name}.py", *map(str, options)])
        code, fault = 0, ""
        try:
            importlib.import_module(f"benchmarks.{name}").main()
        except SystemExit as exc:  # a text as the code is printed, and means 1
            code = exc.code if isinstance(exc.code, int) else int(exc.code is not None)
            fault = exc.code if isinstance(exc.code, str) else ""
        printed = capsys.readouterr()
        return Ended(code, printed.out, printed.err + fault)

    return run
