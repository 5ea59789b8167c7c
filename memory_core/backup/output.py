"""A file that is there whole or not at all, however long it takes to write."""

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from .. import durable


@contextmanager
def whole_file(path: Path) -> Iterator[BinaryIO]:
    """Takes the place of `path` once everything is written; after an error nothing has changed.

    Only its owner may read it. Raises StorageFailed.
    """
    durable.make_folder(path.parent)
    with durable.naming(path):
        fd, temporary = tempfile.mkstemp(dir=path.parent, prefix=".", suffix=".part")
    try:
        with durable.naming(path), os.fdopen(fd, "wb") as file:
            yield file
            file.flush()
            durable.sync(file.fileno(), path=path)
        with durable.naming(path):
            os.replace(temporary, path)
    finally:
        Path(temporary).unlink(missing_ok=True)
    durable.sync_folder(path.parent)
