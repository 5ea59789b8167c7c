"""Lets zarr change the files of a group in memory, then writes and syncs the changed ones.

zarr itself syncs nothing, and writes from a thread of its own.
"""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from ....infra import durable_files

if TYPE_CHECKING:
    from zarr.abc.store import Store

METADATA = "zarr.json"


@contextmanager
def draft(folder: Path, names: Iterable[str]) -> Iterator["Store"]:
    """Yields an in-memory store with these files of the folder, as far as they exist.

    Changed files are written at the end: first the chunks, in the order of the arrays, then the
    metadata, the group's last. Raises StorageFailed.
    """
    from zarr.core.buffer import default_buffer_prototype
    from zarr.storage import MemoryStore

    with durable_files.naming_errors(folder):
        before = {
            name: (folder / name).read_bytes()
            for name in names
            if durable_files.exists(folder / name)
        }
    buffer = default_buffer_prototype().buffer
    files = {name: buffer.from_bytes(data) for name, data in before.items()}
    yield MemoryStore(files)
    after = {name: data.to_bytes() for name, data in files.items()}
    for name in sorted(
        before.keys() | after.keys(), key=lambda name: (name.endswith(METADATA), name)
    ):
        if name not in after:
            durable_files.remove_durably(folder / name)
        elif after[name] != before.get(name):
            durable_files.make_folder((folder / name).parent)
            durable_files.replace(folder / name, after[name])
