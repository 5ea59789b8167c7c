"""Temporary folders for files with memories, and their removal after a killed program."""

import os
import shutil
import tempfile
import time
from contextlib import suppress
from pathlib import Path

_PREFIX = "ltm-import-"
_LEFT_BEHIND_S = 86_400.0  # a younger folder may belong to a running program


def new_scratch_folder() -> Path:
    """Returns a new folder that only this user of the machine may read."""
    return Path(tempfile.mkdtemp(prefix=_PREFIX))


def temporary_folder() -> "tempfile.TemporaryDirectory[str]":
    """Returns such a folder for a `with` block, which deletes it at its end."""
    return tempfile.TemporaryDirectory(prefix=_PREFIX)


def delete_leftovers() -> None:
    """Deletes our folders that killed programs left behind a day ago or longer."""
    for folder in Path(tempfile.gettempdir()).glob(f"{_PREFIX}*"):
        with suppress(OSError):
            found = folder.lstat()
            is_mine = not hasattr(os, "getuid") or found.st_uid == os.getuid()
            is_old = time.time() - found.st_mtime > _LEFT_BEHIND_S
            if is_mine and is_old and folder.is_dir() and not folder.is_symlink():
                shutil.rmtree(folder, ignore_errors=True)
