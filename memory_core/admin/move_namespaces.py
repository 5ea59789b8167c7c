"""Moves the memories of one namespace to another.

Appends their events to the target's logs, with their ids, edits, pins, tombstones and positions.
The source's secret moves along, because its tombstone hashes were made with it.
"""

import time
from contextlib import suppress
from pathlib import Path

from ..domain.errors import StorageError, StorageFailed
from ..domain.namespaces import Namespace
from ..infra import durable_files
from ..memory.namespace_memory import INDEX
from ..storage import held, pauses
from ..storage.aliases import (
    Aliases,
    lock_aliases,
    read_aliases,
    read_aliases_or_none,
    write_aliases,
)
from ..storage.folder_swap import begin_swap, locked
from ..storage.log.event_log import EventLog
from ..storage.manifest import write_manifest
from ..storage.merge_logs import copy_all, merge_folders
from ..storage.shared import NamespaceSwap
from ..storage.swap_markers import refuse_during_swap
from .backup.safety_copy import backup_folder, make_safety_backup


def move_events(
    source: Namespace, target: Namespace, stage: NamespaceSwap, aliases: Aliases
) -> None:
    """Moves all events of `source` to `target` in one swap and makes `source` an alias of it.

    Renames a conversation of the source if the target has one of that name. Neither namespace may
    be open. Raises StorageFailed, StorageLocked; nothing is changed then.
    """
    seen = {namespace: stage.sizes(namespace) for namespace in (source, target)}
    is_other = (source.character, source.scope) != (target.character, target.scope)
    # Without a suffix, conversations of one name are one: both users had the same chat file.
    suffix = (source.character or f"_{source.scope}") if is_other else ""
    theirs, ours = (space.folder(stage.current_root(space)) for space in (source, target))
    renamed = merge_folders(theirs, ours, stage.new_folder(target), suffix=suffix)
    held.merge(theirs, ours, stage.new_folder(target), renamed)
    # Without an empty index, the swap would keep the old one and its words.
    durable_files.make_folder(stage.new_folder(source) / INDEX)
    stage.set_aliases(aliases.with_merge(source, target, renamed))
    stage.commit(seen, keep=(pauses.FILE, INDEX))
    with suppress(StorageError):  # finish_renames() tries again
        stage.delete_if_empty(source)


def move_copy(old: Namespace, new: Namespace, stage: NamespaceSwap, aliases: Aliases) -> None:
    """Moves all of `old` to `new`, which has nothing, and makes `old` an alias of it.

    Raises StorageFailed; nothing is changed then.
    """
    seen = {namespace: stage.sizes(namespace) for namespace in (old, new)}
    source, target = old.folder(stage.current_root(old)), stage.new_folder(new)
    copy_all(source, target)
    for name in (pauses.FILE, held.FILE):
        if durable_files.exists(source / name):
            durable_files.replace(target / name, (source / name).read_bytes())
    durable_files.make_folder(stage.new_folder(old))
    stage.set_aliases(aliases.without(new).with_namespace(old, new))
    stage.commit(seen, keep=())


def move_folder(old: Namespace, new: Namespace, root: Path, aliases: Aliases) -> None:
    """Moves the folder of `old` to `new` and makes `old` an alias of it.

    Neither may be open, and `new` must have no folder. Raises ConfigError, StorageFailed,
    StorageLocked; nothing is changed then.
    """
    renamed = aliases.without(new).with_namespace(old, new)
    refuse_during_swap(old.folder(root))
    with locked(root, [old.relative_folder]):
        try:
            write_aliases(root, renamed)  # first: if the program is killed, finish_renames() moves
            _move(old, new, root)
        except StorageFailed:
            write_aliases(root, aliases)
            write_manifest(old, old.folder(root))
            raise


def _move(old: Namespace, new: Namespace, root: Path) -> None:
    folder = new.folder(root)
    with durable_files.naming_errors(folder):
        durable_files.make_folder(folder.parent)
        write_manifest(new, old.folder(root))  # first: a folder's short name may not tell the names
        old.folder(root).replace(folder)
    with suppress(StorageFailed):  # the aliases find the folder wherever a crash leaves it
        durable_files.sync_folder(folder.parent)


def finish_renames(root: Path) -> list[str]:
    """Finishes renames and merges that were interrupted after the alias was written.

    Returns a message for each namespace that could not be moved.
    """
    problems: list[str] = []
    aliases = read_aliases_or_none(root)[0]
    for old, new in aliases.namespaces.items():
        try:
            _finish_rename(old, new, root)
        except StorageError as exc:
            problems.append(f"{old.label} has a new name, but its memories could not move: {exc}")
    return problems


def _finish_rename(old: Namespace, new: Namespace, root: Path) -> None:
    if not durable_files.is_folder(old.folder(root)):
        return
    with lock_aliases(root):  # another program may be renaming just now
        aliases = read_aliases(root)
        if aliases.namespaces.get(old) == new and durable_files.is_folder(old.folder(root)):
            _move_to_new_name(old, new, root, aliases)


def _move_to_new_name(old: Namespace, new: Namespace, root: Path, aliases: Aliases) -> None:
    if not durable_files.exists(new.folder(root)):
        with locked(root, [old.relative_folder]):
            _move(old, new, root)
    elif any(EventLog(old.folder(root)).logs().values()):  # written to during the merge
        with begin_swap(root) as stage:
            make_safety_backup(old, root, backup_folder(root), now=time.time())
            move_events(old, new, stage, aliases)
