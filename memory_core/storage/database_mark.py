"""Marks a storage folder whose memories are in a database, so that work on its files is refused."""

from pathlib import Path

from ..domain.errors import StorageFailed
from ..infra import durable_files

_MARK = "in_database"
_TEXT = b"The memories of this folder are in the database of the setting store.dsn.\n"


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
