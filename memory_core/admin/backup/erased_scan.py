"""Finds the memories whose words were erased, without reading all logs again."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from ...domain.errors import StorageCorrupt
from ...infra.durable_files import naming_errors
from ...storage.log.event_log import EventLog
from ...storage.log.events import CREATING_EVENTS, unpack
from ...storage.manifest import list_namespaces

_ERASED_MARK = b'"purged"'


@dataclass(slots=True)
class _ScannedLog:
    """A log read up to byte `end`. Erasing words changes its `inode`."""

    inode: int
    end: int = 0
    ids: set[str] = field(default_factory=set)


class ErasedIds:
    """Remembers which lines were read: only new lines of a log are read, unless it was rewritten.

    For one thread at a time.
    """

    def __init__(self, root: Path) -> None:
        self._root = root
        self._scanned: dict[Path, _ScannedLog] = {}

    def read_current(self) -> frozenset[str]:
        """Returns the ids of all memories whose words are erased by now. Raises StorageError."""
        paths = list(log_paths(self._root))
        self._scanned = {path: self._scan(path) for path in paths}
        return frozenset[str]().union(*(log.ids for log in self._scanned.values()))

    def _scan(self, path: Path) -> _ScannedLog:
        known = self._scanned.get(path)
        with naming_errors(path), path.open("rb") as file:
            found = path.stat()
            if known is None or known.inode != found.st_ino or found.st_size < known.end:
                known = _ScannedLog(found.st_ino)
            file.seek(known.end)
            for data in file:
                if not data.endswith(b"\n"):
                    break
                known.end += len(data)
                known.ids.update(_erased_ids(data))
        return known


def memory_ids_in(folder: Path) -> frozenset[str]:
    """Returns the ids of all memories of the namespace in this folder. Raises StorageError."""
    transcript = EventLog(folder)
    with naming_errors(folder):
        logs = transcript.logs()
    return frozenset(
        line.id
        for log in logs
        for line in transcript.read(log).events
        if line.op in CREATING_EVENTS
    )


def log_paths(root: Path) -> Iterator[Path]:
    """Yields the paths of all namespaces' logs. Raises StorageError."""
    for space in list_namespaces(root):
        event_log = EventLog(space.folder(root))
        with naming_errors(event_log.folder):
            logs = event_log.logs()
        yield from (event_log.path(log) for log in logs)


def _erased_ids(data: bytes) -> Iterator[str]:
    if _ERASED_MARK not in data:
        return
    try:
        line = unpack(data[:-1], "")
    except StorageCorrupt:
        return  # a damaged line has no certain id
    if "purged" in line.fields:
        yield line.id
