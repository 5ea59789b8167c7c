"""Gives a namespace's memories another namespace.

Their lines move, under their own ids, behind what is there. Nothing is said anew:
edits, pins, tombstones and places stay what they are. A tombstone's seal is made with its
namespace's secret, so that goes along.
"""

import time
from contextlib import suppress
from pathlib import Path

from ..domain.errors import StorageError, StorageFailed
from ..domain.namespaces import Namespace
from ..infra import durable_files
from ..memory.namespace_memory import INDEX
from ..storage import pauses
from ..storage.aliases import Aliases, read_aliases_or_none, write_aliases
from ..storage.exchange_marks import refuse_during_swap
from ..storage.folder_swap import begin_swap, locked
from ..storage.log.event_log import EventLog
from ..storage.manifest import write_manifest
from ..storage.merge_logs import merge_folders
from .backup.safety_copy import make_safety_backup


def move_events(source: Namespace, target: Namespace, root: Path, aliases: Aliases) -> None:
    """Both become what they are then at once: one has everything, the other nothing any more, and
    means the first. Where both have a conversation of one name, the source's gets another.

    Nothing of either may be open. Raises StorageFailed, StorageLocked; nothing is changed then.
    """
    seen = {namespace: EventLog(namespace.folder(root)).logs() for namespace in (source, target)}
    who = (source.character, source.scope) != (target.character, target.scope)
    apart = (source.character or f"_{source.scope}") if who else ""  # else one file is both's chat
    with begin_swap(root) as stage:
        folders = source.folder(root), target.folder(root), stage.new_folder(target)
        renamed = merge_folders(*folders, suffix=apart)
        durable_files.make_folder(
            stage.new_folder(source) / INDEX
        )  # or the one that is full of words came along
        stage.set_aliases(aliases.with_merge(source, target, renamed))
        stage.commit(seen, keep=(pauses.FILE, INDEX))
        with suppress(StorageError):  # else it is done the next time
            _remove_without_logs(source, root)


def _remove_without_logs(namespace: Namespace, root: Path) -> None:
    with locked(root, [namespace.relative_folder]):
        if not any(EventLog(namespace.folder(root)).logs().values()):
            durable_files.remove_durably(namespace.folder(root))


def move_folder(old: Namespace, new: Namespace, root: Path, aliases: Aliases) -> None:
    """All of it has the new name then, which the old one means too.

    Nothing of either may be open, and nothing of the new one exist. Raises ConfigError,
    StorageFailed, StorageLocked; nothing is changed then.
    """
    meant = aliases.without(new).with_namespace(old, new)
    refuse_during_swap(old.folder(root))
    with locked(root, [old.relative_folder]):
        try:
            write_aliases(root, meant)  # first: should the program be killed, it is moved later
            _move(old, new, root)
        except StorageFailed:
            write_aliases(root, aliases)
            write_manifest(old, old.folder(root))
            raise


def _move(old: Namespace, new: Namespace, root: Path) -> None:
    folder = new.folder(root)
    with durable_files.naming_errors(folder):
        durable_files.make_folder(folder.parent)
        write_manifest(new, old.folder(root))  # first: by then it may be all that tells the names
        old.folder(root).replace(folder)
    with suppress(StorageFailed):  # wherever a crash leaves it, it is found by what the names mean
        durable_files.sync_folder(folder.parent)


def finish_renames(root: Path) -> list[str]:
    """Moves what a killed rename or merge left below a name that means the new one already;
    returns what could not be moved, in plain words.
    """
    told: list[str] = []
    aliases = read_aliases_or_none(root)[0]
    for old, new in aliases.namespaces.items():
        try:
            _finish_rename(old, new, root, aliases)
        except StorageError as exc:
            told.append(f"{old.label} has another name by now, but could not be moved: {exc}")
    return told


def _finish_rename(old: Namespace, new: Namespace, root: Path, aliases: Aliases) -> None:
    if not durable_files.is_folder(old.folder(root)):
        return
    if not durable_files.exists(new.folder(root)):
        with locked(root, [old.relative_folder]):
            _move(old, new, root)
    elif any(EventLog(old.folder(root)).logs().values()):  # written to while it was merged
        make_safety_backup(old, root, now=time.time())
        move_events(old, new, root, aliases)


def delete_folder(namespace: Namespace, root: Path) -> None:
    """Deletes it, all at once; it must not be open. Raises StorageFailed, StorageLocked."""
    with begin_swap(root) as stage:
        stage.delete_folder(namespace)
