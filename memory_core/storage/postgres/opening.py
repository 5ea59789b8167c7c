"""Opens the engine of one database, or reports missing settings and packages."""

from pathlib import Path

from ...domain.errors import ConfigError
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
        from .assembly import assemble
    except ImportError as exc:
        raise ConfigError(
            f"store.backend is postgres, but {exc.name} is not installed: "
            "pip install 'psycopg[binary]>=3.3,<4'",
            key="store.backend",
        ) from exc
    return assemble(dsn, root, time_limit_s)
