"""Intercepts the file calls of one thread, to count them, to die before one, or to fail one.

Those of SQLite and FAISS are made in C and cannot be intercepted. Writes through a file object
count as calls named "write", files opened by open() as "open".
"""

import builtins
import errno
import io
import os
import signal
import threading
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

# Calls that change the state of the disk after a crash.
CHANGING = ("rename", "replace", "mkdir", "link", "unlink", "rmdir", "fdatasync", "fsync")
ALL = (
    *CHANGING,
    *("open", "write", "stat", "lstat", "listdir", "scandir", "chmod", "truncate", "ftruncate"),
)
_ERRORS = {
    **dict.fromkeys(("write", "mkdir", "link", "ftruncate"), errno.ENOSPC),
    **dict.fromkeys(("rename", "replace"), errno.EACCES),
}
_PACKAGE = f"{os.sep}memory_core{os.sep}"
_CHANGING_MODES = frozenset("wax+")
_ORDER = ("buffering", "encoding", "errors", "newline", "closefd", "opener")  # open()'s arguments

Meet = Callable[[str], None]


@contextmanager
def met(names: tuple[str, ...], meet: Meet) -> Iterator[None]:
    """Calls meet(name) before each of these calls that the current thread makes within."""
    before = {name: getattr(os, name) for name in names if hasattr(os, name)}
    opened, thread = io.open, threading.get_ident()

    def within(name: str) -> None:
        if threading.get_ident() == thread:
            meet(name)

    for name, call in before.items():
        setattr(os, name, _announced(name, call, within))
    if "open" in names:
        builtins.open = io.open = _opening(opened, within)  # type: ignore[assignment]
    try:
        yield
    finally:
        builtins.open = io.open = opened
        for name, call in before.items():
            setattr(os, name, call)


def _announced(name: str, call: Callable[..., Any], within: Meet) -> Callable[..., Any]:
    def made(*args: Any, **options: Any) -> Any:  # noqa: ANN401  (whatever the call takes)
        within(name)
        return call(*args, **options)

    return made


def _opening(opened: Callable[..., Any], within: Meet) -> Callable[..., Any]:
    def made(file: Any, mode: str = "r", *args: Any, **options: Any) -> Any:  # noqa: ANN401
        within("open")
        asked = {**dict(zip(_ORDER, args, strict=False)), **options}
        if not _CHANGING_MODES & set(mode) or asked.keys() & {"closefd", "opener"}:
            return opened(file, mode, *args, **options)
        asked.pop("buffering", None)
        raw = _Written(file, mode.replace("b", "").replace("t", ""), within)
        buffered = io.BufferedRandom(raw) if "+" in mode else io.BufferedWriter(raw)
        return buffered if "b" in mode else io.TextIOWrapper(buffered, **asked)

    return made


class _Written(io.FileIO):
    """Announces the bytes that reach the file."""

    def __init__(self, file: Any, mode: str, within: Meet) -> None:  # noqa: ANN401
        super().__init__(file, mode)
        self._within = within

    def write(self, data: Any) -> int:  # noqa: ANN401
        self._within("write")
        return super().write(data)


class CountCalls:
    """Counts the calls; `names` tells them in order."""

    def __init__(self) -> None:
        self.names: list[str] = []

    def __call__(self, name: str) -> None:
        self.names.append(name)


class KillBefore(CountCalls):
    """Kills the process, as kill -9 does, before the call with this number, counted from 0."""

    def __init__(self, number: int) -> None:
        super().__init__()
        self._number = number

    def __call__(self, name: str) -> None:
        if len(self.names) == self._number:
            os.kill(os.getpid(), signal.SIGKILL)
        super().__call__(name)


class FailAt(CountCalls):
    """Makes the call with this number fail once, as a disk would: EIO; ENOSPC for calls that take
    space; EACCES for renaming, as if a virus scanner held the file.
    """

    def __init__(self, number: int) -> None:
        super().__init__()
        self._number = number
        self.failed = ""  # the call and where in the package it was made

    def __call__(self, name: str) -> None:
        is_due = len(self.names) == self._number
        super().__call__(name)
        if is_due:
            self.failed = f"{name} in {_site()}"
            number = _ERRORS.get(name, errno.EIO)
            raise OSError(number, os.strerror(number), f"call {self._number}: {name}")


def _site() -> str:
    frames = [frame for frame in traceback.extract_stack() if _PACKAGE in frame.filename]
    if not frames:
        return "a library"
    path = frames[-1].filename.partition(_PACKAGE)[2]
    return f"{path}:{frames[-1].name}:{frames[-1].lineno}"
