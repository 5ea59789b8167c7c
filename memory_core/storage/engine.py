"""Opens the log and the store of a namespace: in files or in a database.

A mark in the storage folder says that the memories are in a database, so that work on its files is
refused.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from ..domain.errors import ConfigError, StorageFailed
from ..domain.namespaces import Namespace
from ..infra import durable_files
from ..infra.durable_files import make_folder
from . import held, pauses
from .log.contract import Log
from .log.event_log import EventLog
from .manifest import write_manifest
from .shared import SharedStorage, local_storage
from .small_files import LOCAL_FILES, SmallFiles
from .store import MemoryStore

OpenStore = Callable[[Path], MemoryStore]
OpenLog = Callable[[Path], Log]
_MARK = "in_database"
_TEXT = b"The memories of this folder are in the database of the setting store.dsn.\n"


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


def engine_of(open_store: OpenStore, root: Path) -> Engine:
    """Returns the engine itself, or one with logs in files for stores in folders below `root`."""
    if isinstance(open_store, Engine):
        return open_store
    return Engine(
        open_store=open_store,
        open_log=EventLog,
        shared=local_storage(root),
        close=lambda: None,
        scrub=lambda: 0,
    )


@contextmanager
def open_shared(open_store: OpenStore, root: Path) -> Iterator[SharedStorage]:
    """Yields the shared storage, and releases it after the block, which opens no store."""
    engine = engine_of(open_store, root)
    try:
        yield engine.shared
    finally:
        engine.close()


def files_of(log: Log) -> EventLog:
    """Returns the log as files. Raises StorageFailed for one in a database."""
    if isinstance(log, EventLog):
        return log
    raise StorageFailed(
        f"{log.folder.name} is kept in a database, not in files; "
        "`python -m memory_core move --to local` copies it into files"
    )


def postgres_engine(dsn: str, root: Path, *, time_limit_s: float) -> Engine:
    """Returns the engine of the namespaces whose folders lie below `root`.

    Nobody waits longer than `time_limit_s` for the server. Raises ConfigError without an address,
    with a wrong one, and without the driver.
    """
    if not dsn:
        raise ConfigError(
            "store.backend is postgres, but store.dsn is empty: name the database there, or in the "
            "environment variable LTM_STORE__DSN",
            key="store.dsn",
        )
    try:
        from .postgres.assembly import assemble
    except ImportError as exc:
        raise ConfigError(
            f"store.backend is postgres, but {exc.name} is not installed: "
            "pip install 'psycopg[binary]>=3.3,<4'",
            key="store.backend",
        ) from exc
    return assemble(dsn, root, time_limit_s)


def mark_database(root: Path) -> None:
    """Records that the memories are in a database. Raises StorageFailed."""
    durable_files.make_folder(root)
    durable_files.replace(root / _MARK, _TEXT)


def unmark_database(root: Path) -> None:
    """Records that the memories are in files. Raises StorageFailed."""
    with durable_files.naming_errors(root):
        (root / _MARK).unlink(missing_ok=True)


def refuse_in_database(root: Path, what: str) -> None:
    """Raises StorageFailed if the memories are in a database; `what` needs them in files."""
    if durable_files.exists(root / _MARK):
        raise StorageFailed(
            f"{what} works on files, but the memories are in a database (store.backend): use the "
            "database's own tools, or copy them with `python -m memory_core move --to local`"
        )


SMALL_FILES = (pauses.FILE, held.FILE)


def write_files(namespace: Namespace, log: Log, files: SmallFiles, folder: Path) -> None:
    """Fills a folder with the logs and small files as they are now. Raises StorageFailed."""
    make_folder(folder)
    target = EventLog(folder)
    try:
        with log.exclusive(), target.exclusive():  # no append may fall between two logs
            target.lock_for_writing()
            for name in log.logs():
                target.rewrite(name, log.content(name))
    finally:
        target.close()
    for name in SMALL_FILES:
        data = files.read(log.folder / name)
        if data is not None:
            LOCAL_FILES.replace(folder / name, data)
    write_manifest(namespace, folder)
