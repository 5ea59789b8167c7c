"""Copies a namespace that is in a database into the files that it would have on disk."""

from pathlib import Path

from ..domain.namespaces import Namespace
from ..infra.durable_files import make_folder
from . import held, pauses
from .log.contract import Log
from .log.event_log import EventLog
from .manifest import write_manifest
from .small_files import LOCAL_FILES, SmallFiles

SMALL_FILES = (pauses.FILE, held.FILE)


def write_files(namespace: Namespace, log: Log, files: SmallFiles, folder: Path) -> None:
    """Fills a folder with the logs and small files as they are now. Raises StorageFailed."""
    make_folder(folder)
    target = EventLog(folder)
    try:
        with log.exclusive(), target.exclusive():  # no append may fall between two logs
            target.lock_for_writing()
            for name in log.logs():
                target.rewrite(name, log.content(name))
    finally:
        target.close()
    for name in SMALL_FILES:
        data = files.read(log.folder / name)
        if data is not None:
            LOCAL_FILES.replace(folder / name, data)
    write_manifest(namespace, folder)
