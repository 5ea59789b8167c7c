"""Gives a namespace's memories another namespace.

Their lines move, under their own ids, behind what is there. Nothing is said anew:
edits, pins, tombstones and places stay what they are. A tombstone's seal is made with its
namespace's secret, so that goes along.
"""

import time
from contextlib import suppress
from pathlib import Path

from . import durable, switches
from .aliases import Aliases, aliases_in, write_aliases
from .archive import INDEX
from .backup.merging import join
from .backup.safety import kept
from .backup.staging import held, staging
from .errors import StorageError, StorageFailed
from .in_exchange import refuse_in_exchange
from .manifest import write_manifest
from .namespaces import Namespace
from .transcript.transcript import Transcript


def move_lines(source: Namespace, target: Namespace, root: Path, aliases: Aliases) -> None:
    """Both become what they are then at once: one has everything, the other nothing any more, and
    means the first. Where both have a conversation of one name, the source's gets another.

    Nothing of either may be open. Raises StorageFailed, StorageLocked; nothing is changed then.
    """
    seen = {it: Transcript(it.folder(root)).logs() for it in (source, target)}
    who = (source.character, source.scope) != (target.character, target.scope)
    apart = (source.character or f"_{source.scope}") if who else ""  # else one file is both's chat
    with staging(root) as stage:
        folders = source.folder(root), target.folder(root), stage.of(target)
        renamed = join(*folders, apart=apart)
        durable.make_folder(stage.of(source) / INDEX)  # or the one that is full of words came along
        stage.let_mean(aliases.merged(source, target, renamed))
        stage.put_in_place(seen, keep=(switches.FILE, INDEX))
        with suppress(StorageError):  # else it is done the next time
            _remove_without_logs(source, root)


def _remove_without_logs(namespace: Namespace, root: Path) -> None:
    with held(root, [namespace.relative_folder]):
        if not any(Transcript(namespace.folder(root)).logs().values()):
            durable.remove_for_good(namespace.folder(root))


def move_folder(old: Namespace, new: Namespace, root: Path, aliases: Aliases) -> None:
    """All of it has the new name then, which the old one means too.

    Nothing of either may be open, and nothing of the new one exist. Raises ConfigError,
    StorageFailed, StorageLocked; nothing is changed then.
    """
    meant = aliases.without(new).with_space(old, new)
    refuse_in_exchange(old.folder(root))
    with held(root, [old.relative_folder]):
        try:
            write_aliases(root, meant)  # first: should the program be killed, it is moved later
            _move(old, new, root)
        except StorageFailed:
            write_aliases(root, aliases)
            write_manifest(old, old.folder(root))
            raise


def _move(old: Namespace, new: Namespace, root: Path) -> None:
    folder = new.folder(root)
    with durable.naming(folder):
        durable.make_folder(folder.parent)
        write_manifest(new, old.folder(root))  # first: by then it may be all that tells the names
        old.folder(root).replace(folder)
    with suppress(StorageFailed):  # wherever a crash leaves it, it is found by what the names mean
        durable.sync_folder(folder.parent)


def finish_renames(root: Path) -> list[str]:
    """Moves what a killed rename or merge left below a name that means the new one already;
    returns what could not be moved, in plain words.
    """
    told: list[str] = []
    aliases = aliases_in(root)[0]
    for old, new in aliases.spaces.items():
        try:
            _finish_rename(old, new, root, aliases)
        except StorageError as exc:
            told.append(f"{old.label} has another name by now, but could not be moved: {exc}")
    return told


def _finish_rename(old: Namespace, new: Namespace, root: Path, aliases: Aliases) -> None:
    if not durable.is_folder(old.folder(root)):
        return
    if not durable.exists(new.folder(root)):
        with held(root, [old.relative_folder]):
            _move(old, new, root)
    elif any(Transcript(old.folder(root)).logs().values()):  # written to while it was merged
        kept(old, root, now=time.time())
        move_lines(old, new, root, aliases)


def take_away(namespace: Namespace, root: Path) -> None:
    """Deletes it, all at once; it must not be open. Raises StorageFailed, StorageLocked."""
    with staging(root) as stage:
        stage.take_away(namespace)
