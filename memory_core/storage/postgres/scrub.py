"""Removes the remains of erased text from the server's files: dead rows and old pages.

PostgreSQL keeps the former version of a changed row until its page is rewritten, so the tables with
erased words are rewritten. The write-ahead log keeps copies until the server recycles its files.
So do backups and archives, which are the operator's business.
"""

from contextlib import suppress

import psycopg

from .connection import Connection
from .database import Database

_TABLES = (
    "documents",
    "log_lines",
    "memories",
    "postings",
    "derivation_refs",
    "mentioned_times",
    "wanted_vectors",
    "vectors",
)
_ERASED = "SELECT remainder FROM erased_partitions ORDER BY remainder"
_DONE = "DELETE FROM erased_partitions WHERE remainder = %s"


def scrub(database: Database) -> int:
    """Rewrites the partitions in which words were erased; returns how many there were.

    Each is locked meanwhile, for as long as it takes to copy it. Needs the schema's owner. Raises
    StorageFailed.
    """
    with database.owner_connection() as connection:
        remainders = [remainder for (remainder,) in connection.execute(_ERASED).fetchall()]
        for remainder in remainders:
            # An erasure that begins meanwhile marks the partition again.
            connection.execute(_DONE, (remainder,))
            for table in _TABLES:
                connection.execute(f"VACUUM (FULL) {table}_{remainder}")
        if remainders:
            _recycle_write_ahead_log(connection)
        return len(remainders)


def _recycle_write_ahead_log(connection: Connection) -> None:
    """Lets the server drop its old log files, if this user may do that."""
    with suppress(psycopg.errors.InsufficientPrivilege):
        connection.execute("CHECKPOINT")
        connection.execute("SELECT pg_switch_wal()")
        connection.execute("CHECKPOINT")
