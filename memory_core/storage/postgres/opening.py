"""Opens the stores of one database, each by the folder in which a local index would lie."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from ...domain.errors import ConfigError

if TYPE_CHECKING:
    from .store import PostgresStore


def postgres_stores(
    dsn: str, root: Path, *, time_limit_s: float
) -> "Callable[[Path], PostgresStore]":
    """Returns a function that opens the store of the namespace whose index is this folder.

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
        from .database import Database
        from .store import PostgresStore, namespace_of
    except ImportError as exc:
        raise ConfigError(
            f"store.backend is postgres, but {exc.name} is not installed: "
            "pip install 'long-term-memory[scale]'",
            key="store.backend",
        ) from exc
    database = Database(dsn, time_limit_s=time_limit_s)
    return lambda index: PostgresStore(database, namespace_of(index, root))
