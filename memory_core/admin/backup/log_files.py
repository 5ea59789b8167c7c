"""The files that a backup reads: those of the storage folder, or a copy of what is in a database.

The copy is the state at its beginning, in a folder that only its owner can read.
"""

import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from ...domain.namespaces import Namespace
from ...infra.durable_files import make_folder
from ...infra.scratch_folders import SCRATCH_PREFIX
from ...memory.long_term_memory import LongTermMemory
from ...storage import held, pauses
from ...storage.log.contract import Log
from ...storage.log.event_log import EventLog
from ...storage.manifest import write_manifest
from ...storage.small_files import LOCAL_FILES, SmallFiles

_SMALL_FILES = (pauses.FILE, held.FILE)


@contextmanager
def log_files(memory: LongTermMemory, spaces: Sequence[Namespace]) -> Iterator[Path]:
    """Yields a storage folder with the files of these namespaces. Raises StorageFailed."""
    if memory.shared.files is LOCAL_FILES:
        yield memory.root
        return
    with tempfile.TemporaryDirectory(prefix=SCRATCH_PREFIX) as folder:
        root = Path(folder) / "memories"
        for space in spaces:
            _copy_namespace(memory, space, space.folder(root))
        yield root


def _copy_namespace(memory: LongTermMemory, namespace: Namespace, folder: Path) -> None:
    make_folder(folder)
    with memory.open_namespace(namespace) as opened:
        _copy_logs(opened.event_log, EventLog(folder))
        _copy_small_files(opened.files, opened.folder, folder)
    write_manifest(namespace, folder)


def _copy_logs(source: Log, target: EventLog) -> None:
    """Copies while nobody writes: a memory is in no log, or in all that name it."""
    try:
        with source.exclusive(), target.exclusive():
            target.lock_for_writing()
            for log in source.logs():
                target.rewrite(log, source.content(log))
    finally:
        target.close()


def _copy_small_files(files: SmallFiles, source: Path, folder: Path) -> None:
    for name in _SMALL_FILES:
        data = files.read(source / name)
        if data is not None:
            LOCAL_FILES.replace(folder / name, data)
