"""Fails one file call after another, or kills the program there, from a given moment on."""

import errno
import io
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from memory_core.storage.swap_markers import COMMIT

CHANGING = ("rename", "replace", "mkdir", "link", "unlink", "rmdir", "fdatasync", "fsync")
LOOKING = ("stat", "lstat", "listdir", "scandir", "open")


class Killed(BaseException):
    """The program counts as killed from here on: no later call reaches the disk."""


class Faults:
    """Counts file calls from the moment commit.json appears until it is deleted."""

    def __init__(self, number: int, *, kills: bool) -> None:
        self._left = number
        self._kills = kills
        self._is_armed = self._is_dead = False
        self.has_struck = False

    def calling(self, call: Callable[..., Any]) -> Callable[..., Any]:
        def made(*args: Any, **options: Any) -> Any:
            self._before()
            result = call(*args, **options)
            if any(map(_is_commit, args)):
                self._is_armed = call.__name__ != "unlink"
            return result

        return made

    def arm(self) -> None:
        self._is_armed = True

    def _before(self) -> None:
        if self._is_dead:
            raise Killed
        if not self._is_armed or self.has_struck:
            return
        self._left -= 1
        if self._left < 0:
            self.has_struck = True
            self._is_dead = self._kills
            raise Killed if self._kills else OSError(errno.EIO, "Input/output error")


def _is_commit(argument: object) -> bool:
    return isinstance(argument, Path) and argument.name == COMMIT


@contextmanager
def struck(number: int, *, kills: bool) -> Iterator[Faults]:
    """Lets the call of this number after the commit fail once, or kills the program there."""
    faults = Faults(number, kills=kills)
    with pytest.MonkeyPatch.context() as patch:
        for name in CHANGING if kills else (*CHANGING, *LOOKING):
            patch.setattr(os, name, faults.calling(getattr(os, name)))
        if not kills:
            patch.setattr(io, "open", faults.calling(io.open))
        yield faults
