"""Writes the catalogue's file anew, so that none of its pages keeps a piece of erased text.

SQLite leaves copies of rows in the unused parts of its pages. The new file is made of a snapshot,
beside the one in use, so that others read and write meanwhile. It replaces the old file once it
has all later changes.
"""

import os
import sqlite3
from collections.abc import Collection, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from ....infra import durable_files
from .database import Database, ours
from .writes import erase_words

_PRAGMAS = ("journal_mode = MEMORY", "synchronous = OFF", "secure_delete = ON")
_UNCLAIMED = "PRAGMA application_id = 0"  # or it would be taken for a copy made while in use


@contextmanager
def rewritten(database: Database, folder: Path, ids: Collection[str]) -> Iterator[Path]:
    """A file with all that the catalogue holds now but the words of these entries. Raises
    StorageFailed.
    """
    with durable_files.temporary(folder) as anew, ours():
        with durable_files.temporary(folder) as copy:
            with closing(database.another()) as source, closing(sqlite3.connect(copy)) as target:
                source.backup(target)
            with opened(copy) as db:
                erase_words(db, ids)  # first: it moves rows, of which copies stay behind
                db.execute("COMMIT")
                db.execute("VACUUM INTO ?", (str(anew),))
                db.execute("BEGIN")
        put_on_disk(anew)
        yield anew


@contextmanager
def opened(path: Path) -> Iterator[sqlite3.Connection]:
    """Such a file in a transaction, without any files beside it."""
    with ours(), closing(sqlite3.connect(path, isolation_level=None)) as db:
        for pragma in _PRAGMAS:
            db.execute(f"PRAGMA {pragma}")
        db.execute(_UNCLAIMED)
        db.execute("BEGIN")
        yield db
        db.execute("COMMIT")


def put_on_disk(path: Path) -> None:
    """Raises StorageFailed."""
    with durable_files.naming(path):
        fd = os.open(path, os.O_RDWR | getattr(os, "O_BINARY", 0))
        try:
            durable_files.sync(fd, path=path)
        finally:
            os.close(fd)
