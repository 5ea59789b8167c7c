"""Finds the files of wawawario2's long_term_memory, and those that lack their other half.

A character's folder holds `long_term_memory.db` (the words) and `long_term_memory_embeddings.zarr`
(their vectors). Before characters had folders there was one database for all of them, directly in
`bot_memories`. While that database exists, the extension uses no other.
"""

import os
from collections.abc import Iterator
from pathlib import Path

from ...domain.errors import ImportFailed
from .base import import_error

DATABASE = "long_term_memory.db"
EMBEDDINGS = "long_term_memory_embeddings.zarr"
_SHARED_FOLDERS = frozenset({"bot_memories", "user_data"})


def slug_of_folder(database: Path) -> str:
    """Returns the character by its folder's name; empty for the folder of all characters."""
    name = database.absolute().parent.name
    return "" if name in _SHARED_FOLDERS else name


def find_stray_embeddings(path: Path) -> Iterator[Path]:
    """Yields the folders of vectors at or below this path without a database beside them."""
    for root, folders, _ in os.walk(path):
        folders.sort()
        found = Path(root, EMBEDDINGS)
        if EMBEDDINGS in folders:
            folders.remove(EMBEDDINGS)
            if not any(found.parent.glob("*.db")):
                yield found


def is_embeddings(path: Path) -> bool:
    return path.name == EMBEDDINGS


def embeddings_error(path: Path) -> ImportFailed:
    """Returns advice for vectors that are alone or were named instead of the database."""
    database = path.parent / DATABASE
    if database.exists():
        what = "holds only vectors of long_term_memory, from which no words can be read"
        return import_error(path, what, f"Import {database} instead. Nothing was changed")
    what = (
        f"these are embeddings without a database: {DATABASE} is missing beside them. Nothing "
        "was imported from here and nothing was changed"
    )
    do = (
        f"If you have a copy of {DATABASE}, put it into {path.parent} and import again. Without "
        "one the embeddings are of no use to anybody, as no words can be read from them, and it "
        "is safe to delete them"
    )
    return import_error(path, what, do)


def missing_embeddings_warning(database: Path) -> str:
    """Returns a warning, or an empty text if the database has its vectors beside it."""
    if (database.parent / EMBEDDINGS).exists():
        return ""
    return (
        f"{database}: this is a database without embeddings ({EMBEDDINGS} is missing beside it). "
        "It is safe to import: all words are in the database, and the embeddings are made anew "
        "here. Keep the database until the import is done. The import only reads it."
    )


def shared_database_warning(source: Path, user: str) -> str:
    """Returns the warning for one database for all characters."""
    return (
        f"{source}: this is one database for all characters. Its memories are imported as one "
        f"namespace ({user} / _shared), which all characters of {user} may read. To give them to "
        "one character alone, import a copy that lies in a folder of the character's name, in "
        "lower case and with _ for blanks."
    )
