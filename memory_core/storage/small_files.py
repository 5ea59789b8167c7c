"""The small files that all programs of one memory share: names, pauses, keys, held messages.

Each is read and replaced as a whole. In a database, the path of a file is only its name.
"""

from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Protocol

from ..infra import durable_files, regular_files
from ..infra.lru_cache import LRUCache
from ..infra.regular_files import Stamp, file_stamp


class SmallFiles(Protocol):
    """Access to small files. Safe for many threads and programs. All methods raise StorageFailed.

    Checks for changes that need not be seen at once are `pause_s` seconds apart.
    """

    pause_s: float

    def stamp(self, path: Path) -> Stamp | None:
        """Returns a value that changes with the content; None without such a file."""
        ...

    def read(self, path: Path) -> bytes | None:
        """Returns the content; None without such a file."""
        ...

    def replace(self, path: Path, data: bytes) -> None:
        """Replaces the content; on disk on return, or at the end of changing()."""
        ...

    def remove(self, path: Path) -> None:
        """Removes the file, which may be missing."""
        ...

    def changing(self, path: Path) -> AbstractContextManager[None]:
        """Keeps programs on other machines from changing the file in the block."""
        ...

    def scrub_later(self, path: Path) -> None:
        """Marks the former content of the file for removal from the storage's own copies."""
        ...


class LocalFiles:
    """Files on disk. Their writers replace them, so that readers need no lock."""

    pause_s = 0.0

    stamp = staticmethod(file_stamp)
    read = staticmethod(regular_files.read_own_file)

    def replace(self, path: Path, data: bytes) -> None:
        durable_files.make_folder(path.parent)
        durable_files.replace(path, data)

    def remove(self, path: Path) -> None:
        if durable_files.exists(path):
            durable_files.remove_durably(path)

    def changing(self, path: Path) -> AbstractContextManager[None]:
        return nullcontext()

    def scrub_later(self, path: Path) -> None:
        """Does nothing: replacing a file leaves no copy of its former content."""


class FilesInMemory:
    """Files that are never on disk and end with the program; of too many, the oldest go first."""

    pause_s = 0.0

    def __init__(self, most: int) -> None:
        self._files: LRUCache[Path, bytes] = LRUCache(most)

    def stamp(self, path: Path) -> Stamp | None:
        return self._files.get(path)

    def read(self, path: Path) -> bytes | None:
        return self._files.get(path)

    def replace(self, path: Path, data: bytes) -> None:
        self._files.put(path, data)

    def remove(self, path: Path) -> None:
        self._files.pop(path)

    def changing(self, path: Path) -> AbstractContextManager[None]:
        return nullcontext()

    def scrub_later(self, path: Path) -> None:
        """Does nothing: there is no copy of a former content."""


LOCAL_FILES = LocalFiles()
