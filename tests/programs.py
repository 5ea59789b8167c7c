"""Programs of tests, forked from a process that has imported the package already.

Starting Python and importing what a server needs takes two to three seconds of the processor, a
fork a few milliseconds. A program is a process of its own all the same: it can be killed, has its
own locks and environment, and ends with its own code. Where processes cannot be forked, and for
tests of the start itself, there is subprocess.
"""

import atexit
import multiprocessing
import os
import random
import runpy
import signal
import subprocess
import sys
from collections.abc import Sequence
from multiprocessing import forkserver, reduction
from pathlib import Path
from typing import Any

PROJECT = Path(__file__).resolve().parents[1]

if sys.platform == "win32":
    Program = subprocess.Popen
else:

    class Program(subprocess.Popen[str]):
        """Runs Python as subprocess.Popen does, whose arguments it takes: `[python, *args]`.

        Replaces how Popen starts a program and learns of its end, and nothing else.
        """

        def _execute_child(self, args: Sequence[str], *options: Any) -> None:
            cwd, env, pipes = options[4], options[5], options[9:15]
            descriptors = [_Descriptor(pipes[index]) for index in (0, 3, 5)]
            environ = dict(os.environ if env is None else env)
            self._process = multiprocessing.get_context("forkserver").Process(
                target=_become,
                args=([*args][1:], os.fspath(cwd or "."), environ, descriptors),
                daemon=True,  # nobody waits at the end for one that a test left
            )
            _ensure_forking_process()
            self._process.start()
            self.pid = self._process.pid
            self._child_created = True
            self._close_pipe_fds(*pipes)

        def _internal_poll(self, *_: Any, **__: Any) -> int | None:
            return self.returncode if self.returncode is not None else self._end(0)

        def _wait(self, timeout: float | None) -> int:
            if self.returncode is None and self._end(timeout) is None:
                raise subprocess.TimeoutExpired(self.args, timeout or 0.0)
            return self.returncode

        def _end(self, timeout: float | None) -> int | None:
            self._process.join(timeout)
            self.returncode = self._process.exitcode
            return self.returncode


def run(
    command: Sequence[str],
    *,
    cwd: Path = PROJECT,
    env: dict[str, str] | None = None,
    text: str | None = None,
) -> subprocess.CompletedProcess[str]:
    """Runs a program to its end, with this text as its input."""
    pipe = subprocess.PIPE
    with Program(command, cwd=cwd, env=env, stdin=pipe, stdout=pipe, stderr=pipe, text=True) as it:
        try:
            out, err = it.communicate(text, timeout=120)
        except BaseException:
            it.kill()
            raise
    return subprocess.CompletedProcess(command, it.returncode, out, err)


def _ensure_forking_process() -> None:
    """Starts the process from which programs are forked, which needs to find the package."""
    found = os.environ.get("PYTHONPATH")
    os.environ["PYTHONPATH"] = str(PROJECT)
    try:
        multiprocessing.get_context("forkserver").set_forkserver_preload(["tests.preloaded"])
        forkserver.ensure_running()
    finally:
        del os.environ["PYTHONPATH"]
        if found is not None:
            os.environ["PYTHONPATH"] = found


class _Descriptor:
    """An open file that the forking process passes on; -1 is the one it has itself."""

    def __init__(self, number: int) -> None:
        self._number = number

    def __reduce__(self) -> Any:
        return (_received, (None if self._number == -1 else reduction.DupFd(self._number),))


def _received(copy: Any) -> int:
    return -1 if copy is None else int(copy.detach())


def _become(args: list[str], cwd: str, environ: dict[str, str], descriptors: list[int]) -> None:
    """Turns this process into `python *args`."""
    for number, descriptor in enumerate(descriptors):
        if descriptor != -1:
            os.dup2(descriptor, number)
            os.close(descriptor)
    sys.stdin = open(0, closefd=False)  # noqa: SIM115  (multiprocessing closed it)
    os.chdir(cwd)
    os.environ.clear()
    os.environ.update(environ)
    random.seed()
    multiprocessing.process.current_process()._config["daemon"] = False  # it may start others
    signal.signal(signal.SIGINT, signal.default_int_handler)  # as begun by a person
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
    kind, program, *rest = args
    sys.argv = [kind, *rest]
    sys.path[:0] = [cwd, *filter(None, environ.get("PYTHONPATH", "").split(os.pathsep))]
    try:
        if kind == "-m":
            runpy.run_module(program, run_name="__main__", alter_sys=True)
        else:
            exec(compile(program, "<string>", "exec"), {"__name__": "__main__"})  # noqa: S102
    finally:
        atexit._run_exitfuncs()
