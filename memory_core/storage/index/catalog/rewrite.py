"""Rewrites the catalog's file, so that none of its pages keeps a piece of erased text.

SQLite leaves copies of rows in the unused parts of its pages. The new file is made from a snapshot,
beside the one in use, while others read and write. It replaces the old file once it has all later
changes.
"""

import os
import sqlite3
from collections.abc import Collection, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from ....infra import durable_files
from .database import Database, translate_errors
from .writes import erase_words

_PRAGMAS = ("journal_mode = MEMORY", "synchronous = OFF", "secure_delete = ON")
_UNCLAIMED = "PRAGMA application_id = 0"  # else it would count as a copy made while in use


@contextmanager
def rewrite_without_words(database: Database, folder: Path, ids: Collection[str]) -> Iterator[Path]:
    """Yields a new file with all of the catalog except the words of these entries.

    Raises StorageFailed.
    """
    with durable_files.temporary_file(folder) as new_file, translate_errors():
        with durable_files.temporary_file(folder) as copy:
            with (
                closing(database.open_second_connection()) as source,
                closing(sqlite3.connect(copy)) as target,
            ):
                source.backup(target)
            with open_in_transaction(copy) as db:
                erase_words(db, ids)  # before VACUUM: moved rows leave copies behind
                db.execute("COMMIT")
                db.execute("VACUUM INTO ?", (str(new_file),))
                db.execute("BEGIN")
        sync_to_disk(new_file)
        yield new_file


@contextmanager
def open_in_transaction(path: Path) -> Iterator[sqlite3.Connection]:
    """Opens a catalog file in a transaction, without files beside it."""
    with translate_errors(), closing(sqlite3.connect(path, isolation_level=None)) as db:
        for pragma in _PRAGMAS:
            db.execute(f"PRAGMA {pragma}")
        db.execute(_UNCLAIMED)
        db.execute("BEGIN")
        yield db
        db.execute("COMMIT")


def sync_to_disk(path: Path) -> None:
    """Syncs the file's content. Raises StorageFailed."""
    with durable_files.naming_errors(path):
        fd = os.open(path, os.O_RDWR | getattr(os, "O_BINARY", 0))
        try:
            durable_files.sync(fd, path=path)
        finally:
            os.close(fd)
