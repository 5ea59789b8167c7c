"""Builds the stores and logs of one database, each named by the folder it would have on disk."""

import secrets
from functools import partial
from pathlib import Path

from ...infra.durable_files import make_folder
from ..engine import Engine
from ..shared import SharedStorage
from .claims import Claims
from .database import Database
from .documents import Documents
from .jobs import open_table_jobs
from .namespaces import NamespacesInTables, measure
from .store import PostgresStore, namespace_of
from .swap import begin_table_swap
from .table_log import TableLog
from .writes import scrub

_SMALL_FILES_LIMIT_S = 2.0  # a message reads several of them before anything else
_SMALL_FILES_CONNECTIONS = 8


def assemble(dsn: str, root: Path, time_limit_s: float) -> Engine:
    """Returns the engine. Raises ConfigError for a wrong address."""
    # A writer keeps its log's connection while it reads the store: one pool could run dry.
    stores, logs = (Database(dsn, time_limit_s=time_limit_s) for _ in range(2))
    small = Database(
        dsn,
        time_limit_s=min(time_limit_s, _SMALL_FILES_LIMIT_S),
        max_connections=_SMALL_FILES_CONNECTIONS,
    )
    claims = Claims(logs)

    def open_log(folder: Path) -> TableLog:
        make_folder(folder)  # holds the locks of this machine
        return TableLog(logs, folder.relative_to(root).as_posix(), folder, claims)

    def open_store(index: Path) -> PostgresStore:
        name = namespace_of(index, root)
        return PostgresStore(stores, name, TableLog(logs, name, index.parent, claims))

    def close() -> None:
        for part in (claims, stores, logs, small):
            part.close()

    return Engine(
        open_store=open_store,
        open_log=open_log,
        shared=_shared_storage(small, logs, root),
        close=close,
        scrub=lambda: scrub(stores),
    )


def _shared_storage(small: Database, logs: Database, root: Path) -> SharedStorage:
    documents = Documents(small, root)
    namespaces = NamespacesInTables(small, documents, root)
    return SharedStorage(
        files=documents,
        namespaces=namespaces,
        open_jobs=partial(open_table_jobs, small, root, secrets.token_hex(8)),
        has_jobs=lambda _: True,
        begin_swap=partial(begin_table_swap, logs, documents, namespaces, root),
        measure=partial(measure, logs),
    )
