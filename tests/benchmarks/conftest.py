"""Runs benchmarks in the process of the tests: starting a program takes most of a second."""

import importlib
import io
import sys
from collections.abc import Callable
from contextlib import redirect_stderr, redirect_stdout
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
def run_benchmark() -> RunBenchmark:
    return run_in_this_process


def run_in_this_process(name: str, *options: object) -> Ended:
    """Runs benchmarks/<name>.py with a command line."""
    code, fault = 0, ""
    out, err = io.StringIO(), io.StringIO()
    with pytest.MonkeyPatch.context() as patch, redirect_stdout(out), redirect_stderr(err):
        patch.setattr(sys, "argv", [f"benchmarks/{name}.py", *map(str, options)])
        try:
            importlib.import_module(f"benchmarks.{name}").main()
        except SystemExit as exc:  # a text as the code is printed, and means 1
            code = exc.code if isinstance(exc.code, int) else int(exc.code is not None)
            fault = exc.code if isinstance(exc.code, str) else ""
    return Ended(code, out.getvalue(), err.getvalue() + fault)
