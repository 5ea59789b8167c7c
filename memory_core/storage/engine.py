"""What opens the log and the store of a namespace's folder."""

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
    """Opens stores like any other function of this kind, and logs of its own beside them.

    `shared` is what all programs with these stores share beside them.

    close() gives back what all of them share, such as connections. scrub() removes what erasing
    leaves in the engine's files, and returns how many parts of them it wrote anew.
    """

    open_store: OpenStore
    open_log: OpenLog
    shared: SharedStorage
    close: Callable[[], None]
    scrub: Callable[[], int]

    def __call__(self, index: Path) -> MemoryStore:
        return self.open_store(index)


def log_beside(open_store: OpenStore) -> OpenLog:
    """Returns what opens the logs beside these stores: files, unless an engine has its own."""
    return open_store.open_log if isinstance(open_store, Engine) else EventLog


def shared_beside(open_store: OpenStore, root: Path) -> SharedStorage:
    """Returns what programs share beside these stores, whose folders lie below `root`."""
    return open_store.shared if isinstance(open_store, Engine) else local_storage(root)


def files_beside(open_store: OpenStore) -> SmallFiles:
    """Returns the small files that programs share beside these stores."""
    return open_store.shared.files if isinstance(open_store, Engine) else LOCAL_FILES


def close_shared(open_store: OpenStore) -> None:
    """Gives back what these stores share, once all of them are closed."""
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
