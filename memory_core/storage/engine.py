"""Opens the log and the store of a namespace: in files or in a database."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from ..domain.errors import StorageFailed
from .log.contract import Log
from .log.event_log import EventLog
from .shared import SharedStorage, local_storage
from .small_files import LOCAL_FILES, SmallFiles
from .store import MemoryStore

OpenStore = Callable[[Path], MemoryStore]
OpenLog = Callable[[Path], Log]


@dataclass(frozen=True, slots=True, kw_only=True)
class Engine:
    """Opens stores, as a function of type OpenStore, and the logs that belong to them.

    `shared` is the storage that all programs with these stores share beside them.

    close() releases shared resources, such as connections. scrub() removes the remains of erased
    text from the engine's files, and returns the number of parts that it rewrote.
    """

    open_store: OpenStore
    open_log: OpenLog
    shared: SharedStorage
    close: Callable[[], None]
    scrub: Callable[[], int]

    def __call__(self, index: Path) -> MemoryStore:
        return self.open_store(index)


def log_beside(open_store: OpenStore) -> OpenLog:
    """Returns the function that opens the logs of these stores: an engine's own, else files."""
    return open_store.open_log if isinstance(open_store, Engine) else EventLog


def shared_beside(open_store: OpenStore, root: Path) -> SharedStorage:
    """Returns the storage that programs share beside these stores, with folders below `root`."""
    return open_store.shared if isinstance(open_store, Engine) else local_storage(root)


def files_beside(open_store: OpenStore) -> SmallFiles:
    """Returns the small files that programs share beside these stores."""
    return open_store.shared.files if isinstance(open_store, Engine) else LOCAL_FILES


def close_shared(open_store: OpenStore) -> None:
    """Releases the resources that these stores share, once all of them are closed."""
    if isinstance(open_store, Engine):
        open_store.close()


def files_of(log: Log) -> EventLog:
    """Returns the log as files. Raises StorageFailed for one in a database."""
    if isinstance(log, EventLog):
        return log
    raise StorageFailed(
        f"{log.folder.name} is kept in a database, not in files; "
        "`python -m memory_core move --to local` copies it into files"
    )
