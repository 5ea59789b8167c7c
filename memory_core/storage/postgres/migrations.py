"""Brings the schema up to date: numbered SQL files, each run once and in one transaction."""

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from ...domain.errors import StorageFailed
from .connection import Connection

SCHEMA = "ltm"
_FOLDER = Path(__file__).with_name("migrations")
_LOCK = 0x6C746D  # "ltm": one program migrates, the others wait
_PREPARE = f"""CREATE SCHEMA IF NOT EXISTS {SCHEMA};
    CREATE TABLE IF NOT EXISTS {SCHEMA}.migrations (
    number integer PRIMARY KEY, name text NOT NULL,
    applied_at timestamptz NOT NULL DEFAULT now())"""


class Migration(NamedTuple):
    number: int
    path: Path


def known_migrations() -> list[Migration]:
    """Returns the migrations of this version of the program, in their order."""
    files = sorted(_FOLDER.glob("[0-9][0-9][0-9][0-9]_*.sql"))
    return [Migration(int(path.name[:4]), path) for path in files]


def migrate(connection: Connection) -> None:
    """Runs the migrations that this database lacks, over a connection of the schema's owner.

    Raises StorageFailed if a newer version of the program has migrated the database.
    """
    known = known_migrations()
    if _newest_applied(connection) == known[-1].number:
        return
    connection.execute("SELECT pg_advisory_lock(%s)", (_LOCK,))
    try:
        connection.execute(_PREPARE)
        _run(connection, known)
    finally:
        connection.execute("SELECT pg_advisory_unlock(%s)", (_LOCK,))


def _newest_applied(connection: Connection) -> int:
    """Returns the number of the last migration, 0 before the first one."""
    (table,) = connection.execute(f"SELECT to_regclass('{SCHEMA}.migrations')").fetchone()
    if table is None:
        return 0
    found = connection.execute(f"SELECT coalesce(max(number), 0) FROM {SCHEMA}.migrations")  # noqa: S608
    (newest,) = found.fetchone()
    return int(newest)


def _run(connection: Connection, known: Sequence[Migration]) -> None:
    applied = _newest_applied(connection)
    if applied > known[-1].number:
        raise StorageFailed(
            f"the database has the migration {applied}, which this version of the program does "
            "not know: update the program"
        )
    for migration in known:
        if migration.number > applied:
            _run_one(connection, migration)


def _run_one(connection: Connection, migration: Migration) -> None:
    with connection.transaction():
        connection.execute(f"SET LOCAL search_path = {SCHEMA}, public")
        connection.execute(migration.path.read_text(encoding="utf-8"))
        connection.execute(
            f"INSERT INTO {SCHEMA}.migrations (number, name) VALUES (%s, %s)",  # noqa: S608
            (migration.number, migration.path.name),
        )
        connection.execute(f"GRANT USAGE ON SCHEMA {SCHEMA} TO ltm_application")
