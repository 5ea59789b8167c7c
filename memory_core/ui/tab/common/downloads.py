"""Files that go to a browser or come from it: they are deleted after a while, so that no
forgotten word lives on in them.
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

_LIFETIME_S = 1800.0
_UNSAFE_CHARS = re.compile("[^A-Za-z0-9_]+")
_MAX_NAME_CHARS = 40
_PREFIX = "ltm-export-"
_OUR_FILE_NAME = re.compile(r"[A-Za-z0-9_]{1,40}-\d{8}-\d{6}-[0-9a-f]{8}\.[a-z]+")


class Downloads:
    """`cache` is where Gradio puts its copy of every file, in a folder of its own. One thread may
    make files while another one sweeps.
    """

    def __init__(self, cache: Path, *, clock: Callable[[], float] = time.time) -> None:
        self._cache = cache
        self._clock = clock
        self._created_at: dict[Path, float] = {}
        self._leftovers: dict[Path, float] = {}

    def new_path(self, namespace: Namespace | None, ending: str) -> Path:
        """A path in a new folder that only this user of the machine may read; None: of all."""
        stamp = time.strftime("%Y%m%d-%H%M%S", time.gmtime(self._clock()))
        whose = (namespace.character or namespace.scope) if namespace else ""
        name = _UNSAFE_CHARS.sub("", whose)[:_MAX_NAME_CHARS] or "memories"
        folder = Path(tempfile.mkdtemp(prefix=_PREFIX))
        path = folder / f"{name}-{stamp}-{secrets.token_hex(4)}{ending}"
        self._created_at[path] = self._clock()
        return path

    def register_upload(self, path: Path) -> None:
        """Gradio keeps it for as long as the program runs."""
        self._created_at.setdefault(path, self._clock())

    def find_leftovers(self) -> None:
        """Looks for what killed programs left. A young one may be of a program that runs: sweep()
        takes it once it is old.
        """
        with suppress(OSError):
            self._leftovers = dict(_our_files(Path(tempfile.gettempdir())))

    def delete_old(self, *, kept_s: float = _LIFETIME_S) -> None:
        """Deletes what was made longer ago."""
        for files, longest in ((self._created_at, kept_s), (self._leftovers, _LIFETIME_S)):
            for path, made in list(files.items()):
                if self._clock() - made >= longest:
                    with suppress(OSError):  # somebody reads it: it is tried again
                        self._delete(path)
                        files.pop(path, None)

    def _delete(self, path: Path) -> None:
        path.unlink(missing_ok=True)
        if path.parent.name.startswith(_PREFIX):
            shutil.rmtree(path.parent, ignore_errors=True)
        for copy in self._cache.glob(f"*/{path.name}"):
            copy.unlink(missing_ok=True)


def _our_files(folder: Path) -> Iterator[tuple[Path, float]]:
    """Our files, each alone in a folder that is this user's, and when they were written."""
    for inside in folder.glob(f"{_PREFIX}*"):
        with suppress(OSError):
            files = list(inside.iterdir()) if _is_own_folder(inside) else []
            if len(files) == 1 and _OUR_FILE_NAME.fullmatch(files[0].name):
                yield files[0], files[0].lstat().st_mtime


def _is_own_folder(folder: Path) -> bool:
    is_mine = not hasattr(os, "getuid") or folder.lstat().st_uid == os.getuid()
    return is_mine and folder.is_dir() and not folder.is_symlink()
