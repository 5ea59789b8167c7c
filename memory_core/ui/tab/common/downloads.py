"""Temporary files sent to a browser.

They are deleted after a while, so that forgotten words do not live on in them.
"""

import os
import re
import secrets
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

from ....domain.namespaces import Namespace
from ....memory.runtime import Runtime

_LIFETIME_S = 1800.0
_UNSAFE_CHARS = re.compile("[^A-Za-z0-9_]+")
_MAX_NAME_CHARS = 40
_PREFIX = "ltm-export-"
_NO_FILE_NAME = re.compile(r"[^\w .-]+")
_CHARACTER_ENDING = ".memories.zip"
_OUR_FILE_NAME = re.compile(
    r"[A-Za-z0-9_]{1,40}-\d{8}-\d{6}-[0-9a-f]{8}\.[a-z]+|[\w .-]{1,40}\.memories\.zip"
)


class Downloads:
    """Creates download files and deletes old ones.

    `cache` is the folder in which Gradio keeps a copy of every file, each in a folder of its own.
    One thread may create files while another deletes old ones.
    """

    def __init__(self, cache: Path, *, clock: Callable[[], float] = time.time) -> None:
        self._cache = cache
        self._clock = clock
        self._created_at: dict[Path, float] = {}
        self._leftovers: dict[Path, float] = {}

    def delete_with(self, runtime: Runtime) -> None:
        """Makes the runtime delete old files while it runs, and all files when it ends."""
        runtime.add_tick_duty(self.delete_old)
        runtime.add_closing_duty(lambda: self.delete_old(kept_s=0.0))

    def new_path(self, namespace: Namespace | None, ending: str) -> Path:
        """Returns a path in a new folder that only this user of the machine may read.

        Without a namespace, the file is named for all of them.
        """
        stamp = time.strftime("%Y%m%d-%H%M%S", time.gmtime(self._clock()))
        owner = (namespace.character or namespace.scope) if namespace else ""
        name = _UNSAFE_CHARS.sub("", owner)[:_MAX_NAME_CHARS] or "memories"
        folder = Path(tempfile.mkdtemp(prefix=_PREFIX))
        path = folder / f"{name}-{stamp}-{secrets.token_hex(4)}{ending}"
        self._created_at[path] = self._clock()
        return path

    def new_character_path(self, namespace: Namespace) -> Path:
        """Returns a path for a file that travels beside a character's card."""
        name = _NO_FILE_NAME.sub("_", namespace.character)[:_MAX_NAME_CHARS].strip(". ")
        path = Path(tempfile.mkdtemp(prefix=_PREFIX)) / f"{name or 'character'}{_CHARACTER_ENDING}"
        self._created_at[path] = self._clock()
        return path

    def find_leftovers(self) -> None:
        """Looks for files that killed programs left behind.

        A recent one may belong to a running program, so delete_old() waits until it is old.
        """
        with suppress(OSError):
            self._leftovers = dict(_our_files(Path(tempfile.gettempdir())))

    def delete_old(self, *, kept_s: float = _LIFETIME_S) -> None:
        """Deletes our files older than `kept_s` seconds, and leftovers older than half an hour."""
        for files, longest in ((self._created_at, kept_s), (self._leftovers, _LIFETIME_S)):
            for path, made in list(files.items()):
                if self._clock() - made >= longest:
                    with suppress(OSError):  # in use: tried again next time
                        self._delete(path)
                        files.pop(path, None)

    def _delete(self, path: Path) -> None:
        path.unlink(missing_ok=True)
        if path.parent.name.startswith(_PREFIX):
            shutil.rmtree(path.parent, ignore_errors=True)
        for copy in self._cache.glob(f"*/{path.name}"):
            copy.unlink(missing_ok=True)


def _our_files(folder: Path) -> Iterator[tuple[Path, float]]:
    """Yields our files in a temporary folder, each with its time of writing.

    Each lies alone in a folder of this user.
    """
    for inside in folder.glob(f"{_PREFIX}*"):
        with suppress(OSError):
            files = list(inside.iterdir()) if _is_own_folder(inside) else []
            if len(files) == 1 and _OUR_FILE_NAME.fullmatch(files[0].name):
                yield files[0], files[0].lstat().st_mtime


def _is_own_folder(folder: Path) -> bool:
    is_mine = not hasattr(os, "getuid") or folder.lstat().st_uid == os.getuid()
    return is_mine and folder.is_dir() and not folder.is_symlink()
