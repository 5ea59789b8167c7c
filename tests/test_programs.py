"""Programs that are forked behave as those that Python starts."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests import programs

EACH_WAY = [subprocess.Popen, programs.Program]
each_way = pytest.mark.parametrize("start", EACH_WAY)
PIPE = subprocess.PIPE

ECHO = """
import os, sys
print(__name__, os.getcwd(), os.environ["WORD"], *sys.argv[1:], sys.stdin.read())
sys.stderr.write("fault")
sys.exit(3)
"""


@each_way
def test_program_has_its_arguments_input_folder_and_environment(
    start: type[subprocess.Popen[str]], tmp_path: Path
) -> None:
    env = {**os.environ, "WORD": "yes"}
    command = [sys.executable, "-c", ECHO, "one", "two"]
    with start(
        command, cwd=tmp_path, env=env, stdin=PIPE, stdout=PIPE, stderr=PIPE, text=True
    ) as it:
        out, err = it.communicate("typed", timeout=60)
    assert (out, err) == (f"__main__ {tmp_path} yes one two typed\n", "fault")
    assert it.returncode == 3


@each_way
@pytest.mark.parametrize("end", [signal.SIGKILL, signal.SIGTERM])
def test_killed_program_ends_with_its_signal(
    start: type[subprocess.Popen[str]], end: signal.Signals
) -> None:
    code = "import threading; print('ready', flush=True); threading.Event().wait()"
    with start([sys.executable, "-c", code], stdout=PIPE, text=True) as it:
        assert it.stdout is not None
        assert it.stdout.readline() == "ready\n"
        assert it.poll() is None
        with pytest.raises(subprocess.TimeoutExpired):
            it.wait(0.01)
        it.send_signal(end)
    assert it.returncode == -end


@pytest.fixture
def heeded_interrupts() -> Iterator[None]:
    """Shells ignore interrupts in what they run in the background, and programs inherit that."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@each_way
def test_interrupted_program_gets_a_keyboard_interrupt(
    start: type[subprocess.Popen[str]], heeded_interrupts: None
) -> None:
    code = """
import threading
try:
    print("ready", flush=True)
    threading.Event().wait()
except KeyboardInterrupt:
    print("interrupted")
"""
    with start([sys.executable, "-c", code], stdout=PIPE, text=True) as it:
        assert it.stdout is not None
        assert it.stdout.readline() == "ready\n"
        it.send_signal(signal.SIGINT)
        assert it.communicate(timeout=60)[0] == "interrupted\n"
    assert it.returncode == 0


def test_failing_program_ends_with_1_and_its_traceback() -> None:
    done = programs.run([sys.executable, "-c", "print(1 / 0)"])
    assert (done.returncode, done.stdout) == (1, "")
    assert "ZeroDivisionError" in done.stderr


def test_module_runs_as_the_main_program() -> None:
    done = programs.run([sys.executable, "-m", "memory_core", "--help"])
    assert done.returncode == 0
    assert "serve" in done.stdout
