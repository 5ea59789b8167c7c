"""A benchmark whose output is piped into `head` ends quietly."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cases import for_each

PROJECT = Path(__file__).parents[2]
PRINTS_LITTLE = "from benchmarks.command import run; run(lambda: print(1))"
PRINTS_MUCH = "from benchmarks.command import run; run(lambda: print('x' * 1_000_000))"
FAILS = "from benchmarks.command import run; run(lambda: 1 / 0)"
OTHER_PIPE = (
    "import os; from benchmarks.command import run; a, b = os.pipe(); os.close(a); "
    "run(lambda: os.write(b, b'x'))"
)
OUTPUT_CLOSED = 141


def run_with_closed_output(*arguments: str) -> tuple[int, str]:
    """Returns the exit code and the errors of a program whose reader is gone."""
    reader, writer = os.pipe()
    os.close(reader)
    try:
        done = subprocess.run(
            [sys.executable, *arguments],
            cwd=PROJECT,
            stdout=writer,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
    finally:
        os.close(writer)
    return done.returncode, done.stderr


@pytest.mark.parametrize("unbuffered", ["", "1"])
@pytest.mark.parametrize("program", [PRINTS_LITTLE, PRINTS_MUCH], ids=["little", "much"])
def test_benchmark_without_a_reader_ends_without_a_traceback(
    program: str, unbuffered: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHONUNBUFFERED", unbuffered)
    code, errors = run_with_closed_output("-c", program)
    assert (code, errors) == (OUTPUT_CLOSED, "")


@for_each(("program", "error"), [(FAILS, "ZeroDivisionError"), (OTHER_PIPE, "BrokenPipeError")])
def test_failure_of_a_benchmark_is_still_shown(program: str, error: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", program], cwd=PROJECT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 1
    assert error in done.stderr


@for_each(
    "path",
    [path for path in sorted(PROJECT.glob("benchmarks/*.py")) if path.stem != "crash_child"],
)
def test_program_of_each_benchmark_goes_through_run(path: Path) -> None:
    program = path.read_text(encoding="utf-8").partition('if __name__ == "__main__":\n')[2]
    assert not program or "run(" in program
