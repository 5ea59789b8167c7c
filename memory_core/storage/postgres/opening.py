"""Opens the stores and logs of one database, each by the folder in which it would lie locally."""

from pathlib import Path

from ...domain.errors import ConfigError
from ...infra.durable_files import make_folder
from ..engine import Engine


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

    def open_log(folder: Path) -> TableLog:
        make_folder(folder)  # its names, pauses and saved traces stay there
        return TableLog(logs, folder.relative_to(root).as_posix(), folder, claims)

    def close() -> None:
        claims.close()
        stores.close()
        logs.close()

    return Engine(
        open_store=lambda index: PostgresStore(stores, namespace_of(index, root)),
        open_log=open_log,
        close=close,
        scrub=lambda: scrub(stores),
    )
