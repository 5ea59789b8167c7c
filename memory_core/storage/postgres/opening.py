"""Opens the stores and logs of one database, each by the folder in which it would lie locally."""

from pathlib import Path

from ...domain.errors import ConfigError
from ...infra.durable_files import make_folder
from ..engine import Engine
from ..shared import SharedStorage

_SMALL_FILES_LIMIT_S = 2.0  # a message reads several of them before anything else
_SMALL_FILES_CONNECTIONS = 8


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
        from .claims import Claims
        from .database import Database
        from .documents import Documents
        from .jobs import TableJobsOpener
        from .namespaces import NamespacesInTables
        from .scrub import scrub
        from .store import PostgresStore, namespace_of
        from .table_log import TableLog
    except ImportError as exc:
        raise ConfigError(
            f"store.backend is postgres, but {exc.name} is not installed: "
            "pip install 'long-term-memory[scale]'",
            key="store.backend",
        ) from exc
    # A writer keeps its log's connection while it reads the store: one pool could run dry.
    stores, logs = (Database(dsn, time_limit_s=time_limit_s) for _ in range(2))
    claims = Claims(logs)
    small = Database(
        dsn,
        time_limit_s=min(time_limit_s, _SMALL_FILES_LIMIT_S),
        max_connections=_SMALL_FILES_CONNECTIONS,
    )
    documents = Documents(small, root)

    def open_log(folder: Path) -> TableLog:
        make_folder(folder)  # locks of this machine lie there
        return TableLog(logs, folder.relative_to(root).as_posix(), folder, claims)

    def close() -> None:
        claims.close()
        stores.close()
        logs.close()
        small.close()

    return Engine(
        open_store=lambda index: PostgresStore(stores, namespace_of(index, root)),
        open_log=open_log,
        shared=SharedStorage(
            files=documents,
            namespaces=NamespacesInTables(small, documents, root),
            open_jobs=TableJobsOpener(small, root).open,
            has_jobs=lambda _: True,
        ),
        close=close,
        scrub=lambda: scrub(stores),
    )
