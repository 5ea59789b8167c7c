"""The files that a backup reads: those of the storage folder, or a copy of a database.

The copy has the state of its start, and lies in a folder that only its owner can read.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from ...domain.namespaces import Namespace
from ...infra.scratch_folders import temporary_folder
from ...memory.long_term_memory import LongTermMemory
from ...storage.engine import write_files


@contextmanager
def log_files(memory: LongTermMemory, spaces: Sequence[Namespace]) -> Iterator[Path]:
    """Yields a storage folder with the files of these namespaces. Raises StorageFailed."""
    if memory.shared.is_in_files:
        yield memory.root
        return
    with temporary_folder() as folder:
        root = Path(folder) / "memories"
        for space in spaces:
            with memory.open_namespace(space) as opened:
                write_files(space, opened.event_log, memory.shared.files, space.folder(root))
        yield root
