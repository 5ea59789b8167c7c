"""Repairs the findings and nothing else; lines removed from a log are kept in a file beside it."""

import os
from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from pathlib import Path

from ...domain.errors import StorageCorrupt, StorageError, StorageFailed
from ...domain.namespaces import Namespace
from ...infra import durable_files
from ...memory.erasure import purge_logs
from ...memory.namespace_memory import INDEX, NamespaceMemory
from ...storage.aliases import ALIASES, read_aliases
from ...storage.engine import OpenStore, files_of
from ...storage.folder_swap import finish_interrupted_swaps
from ...storage.log.erasure import damaged_lines_path
from ...storage.log.event_log import EventLog
from ...storage.log.events import find_whole_lines
from ...storage.log.projection import MemoryRecord, apply_events
from ...storage.manifest import MANIFEST, read_manifest, write_manifest
from . import index_check
from .file_check import (
    find_temporaries,
    is_accessible_to_others,
    names_another,
    namespace_paths,
    shared_paths,
)
from .log_check import LogSummary
from .recover_lines import recover_from_store, restoring_events
from .scan import LogLine, scan_lines


def repair_storage(root: Path) -> None:
    """Repairs the files that belong to no namespace. Raises StorageFailed."""
    finish_interrupted_swaps(root)
    durable_files.remove_abandoned_temporaries(root)
    _restrict_modes(shared_paths(root))
    try:
        read_aliases(root)
    except StorageCorrupt:
        _move_to_damaged(root / ALIASES)
    except StorageFailed:
        return  # reported by the check; an unreadable file may not be ours, so it is not moved


def repair_files(space: Namespace, folder: Path) -> None:
    """Repairs modes and the manifest and removes leftovers. Raises StorageFailed."""
    for path in find_temporaries(folder):
        durable_files.unlink(path)
    _restrict_modes(namespace_paths(folder))
    _repair_manifest(space, folder)


def _repair_manifest(space: Namespace, folder: Path) -> None:
    try:
        found = read_manifest(folder)
    except StorageCorrupt:
        _move_to_damaged(folder / MANIFEST)
        write_manifest(space, folder)
        return
    if names_another(found, space):
        write_manifest(space, folder, extra=found)


def repair_logs(opened: NamespaceMemory, seen: LogSummary) -> bool:
    """Restores memories of damaged lines from the store, then removes damaged and torn lines.

    Returns False if there were none. Raises StorageError.
    """
    broken: dict[str, list[LogLine]] = defaultdict(list)
    for line in (*seen.damaged_lines, *seen.torn_lines):
        broken[line.log].append(line)
    if not broken:
        return False
    files = files_of(opened.event_log)
    before = recover_from_store(opened.store, files, seen)
    logged = _project_records(files, before)
    for memory_id, entry in before.items():  # first: a rebuilt store no longer knows them
        opened.write_all(restoring_events(entry, logged.get(memory_id)))
    with opened.erasure.mark_rewriting():
        for log, lines in broken.items():
            _quarantine(files, log, lines)
    opened.rebuild()
    return True


def _project_records(event_log: EventLog, ids: Collection[str]) -> dict[str, MemoryRecord]:
    """Returns the records of these ids according to the sound lines."""
    events = (event for log in event_log.logs() for event in event_log.read(log).events)
    return apply_events(
        sorted((event for event in events if event.id in ids), key=lambda event: event.seq)
    )


def _quarantine(event_log: EventLog, log: str, broken: Sequence[LogLine]) -> None:
    path = event_log.path(log)
    aside = damaged_lines_path(path)
    with durable_files.naming_errors(aside):
        keep = aside.read_bytes() if aside.is_file() else b""
    taken = b"".join(line.data.rstrip(b"\n") + b"\n" for line in broken)
    durable_files.replace(aside, keep + taken)
    bad = {line.start for line in broken}
    size = event_log.logs()[log]
    whole = list[bytes]()
    for line in scan_lines(path, log, size):
        salvaged = (found + b"\n" for found in find_whole_lines(line.data)[0])
        whole += salvaged if line.start in bad else [line.data]
    event_log.rewrite(log, b"".join(whole))


def erase_due(opened: NamespaceMemory, due: Collection[str]) -> None:
    """Erases the words of these ids from logs, quarantined lines and store. Raises StorageError."""
    with opened.erasure.mark_rewriting():
        purge_logs(opened.event_log, opened.event_log.logs(), due, opened.store)
    opened.rebuild()
    opened.store.erase(sorted(due))


def rebuild_store(opened: NamespaceMemory, folder: Path, open_store: OpenStore) -> NamespaceMemory:
    """Rebuilds the store from the logs; deletes its vectors only if that does not help.

    Raises StorageError.
    """
    opened.rebuild()
    files = files_of(opened.event_log)
    if not index_check.compare_with_log(opened.store, files, files.logs()):
        return opened
    opened.close()
    _remove_index(folder)
    return NamespaceMemory(folder, open_store=open_store)


def open_or_rebuild(folder: Path, open_store: OpenStore) -> NamespaceMemory:
    """Opens the namespace; deletes an index that cannot be opened. Raises StorageError."""
    try:
        return NamespaceMemory(folder, open_store=open_store)
    except StorageError:
        holder = EventLog(folder)
        holder.acquire_lock()
        try:
            _remove_index(folder)
        finally:
            holder.close()
        return NamespaceMemory(folder, open_store=open_store)


def _remove_index(folder: Path) -> None:
    with durable_files.naming_errors(folder / INDEX):
        durable_files.remove(folder / INDEX)


def _move_to_damaged(path: Path) -> None:
    with durable_files.naming_errors(path):
        os.replace(path, damaged_lines_path(path))
    durable_files.sync_folder(path.parent)


def _restrict_modes(paths: Iterable[Path]) -> None:
    for path in filter(is_accessible_to_others, paths):
        with durable_files.naming_errors(path):
            path.chmod(durable_files.FOLDER_MODE if path.is_dir() else durable_files.FILE_MODE)
