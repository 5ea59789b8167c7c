"""Downloads a model in a child process, which can be stopped at any moment.

A thread cannot be stopped: the libraries of the hub go on until the last byte. The part that has
arrived stays, and the next download resumes from there.
"""

import re
import subprocess
import sys
import threading
from collections.abc import Sequence
from pathlib import Path

from ...infra.redaction import redact

_PROGRAM = Path(__file__).with_name("fetch_model.py")
_ERROR_NAME = re.compile(r"^[\w.]+: ")  # at the end of a traceback
_NO_WINDOW = getattr(subprocess, "CREATE_NO_WINDOW", 0)
# -P: the files beside the program have names of libraries.
_COMMAND = (sys.executable, "-P", str(_PROGRAM))


class DownloadStopped(Exception):
    """Somebody has stopped the download."""


class ChildDownload:
    """Runs one download at a time. cancel() may be called from any thread and cannot be undone."""

    def __init__(self, command: Sequence[str] = _COMMAND) -> None:
        self._command = command
        self._lock = threading.Lock()
        self._process: subprocess.Popen[str] | None = None
        self._is_cancelled = False

    def run(self, arguments: Sequence[str]) -> None:
        """Waits for the end of the download.

        Raises DownloadStopped, or OSError with the reason of a failure.
        """
        with self._start(arguments) as process:  # closing its standard input ends the child
            errors = process.stderr.read() if process.stderr else ""
            process.wait()
        if self._is_cancelled:
            raise DownloadStopped("the download was stopped")
        if process.returncode:
            raise OSError(_reason(errors, process.returncode))

    def cancel(self) -> None:
        """Stops the running download, and refuses all later ones."""
        with self._lock:
            self._is_cancelled = True
            if self._process is not None and self._process.poll() is None:
                self._process.kill()

    def _start(self, arguments: Sequence[str]) -> "subprocess.Popen[str]":
        with self._lock:
            if self._is_cancelled:
                raise DownloadStopped("the download was stopped")
            self._process = subprocess.Popen(  # noqa: S603  (our own program)
                [*self._command, *arguments],
                stdin=subprocess.PIPE,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE,
                text=True,
                encoding="utf-8",
                errors="replace",
                creationflags=_NO_WINDOW,
                start_new_session=True,  # else Ctrl-C would end it, which looks like a failure
            )
            return self._process


def _reason(errors: str, code: int) -> str:
    lines = [line.strip() for line in errors.splitlines() if line.strip()]
    reason = _ERROR_NAME.sub("", lines[-1]) if lines else ""
    return redact(reason) or f"the download ended with code {code}"
