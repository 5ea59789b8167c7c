"""Opens stores and logs in one PostgreSQL database."""

from pathlib import Path

from ...domain.errors import ConfigError
from ..engine import Engine
from .database import Database
from .store import PostgresStore, namespace_of
from .table_log import TableLog


def postgres_engine(dsn: str, root: Path) -> Engine:
    """Returns the engine whose namespaces are named by their folders below `root`.

    Raises ConfigError for a DSN that is none or empty. Connects when a namespace is opened.
    """
    if not dsn.strip():
        raise ConfigError("store.backend is postgres, but store.dsn is empty", key="store.dsn")
    # A writer keeps its log's connection while it reads the store: one pool could run dry.
    stores, logs = Database(dsn), Database(dsn)
    return Engine(
        open_store=lambda index: PostgresStore(stores, namespace_of(index, root)),
        open_log=lambda folder: TableLog(logs, folder.relative_to(root).as_posix(), folder),
    )
