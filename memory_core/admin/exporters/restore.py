"""Restores a backup: into an empty namespace, or replacing or merging existing memories."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from ...domain.errors import ConfigError
from ...domain.namespaces import Namespace
from ...host.hooks import Hooks
from ...memory.long_term_memory import LongTermMemory
from ...memory.namespace_memory import INDEX
from ...storage import held, pauses
from ...storage.manifest import write_manifest
from ...storage.merge_logs import add_missing, copy_all
from ...storage.shared import NamespaceSwap
from ..backup.layout import NamespaceContents
from ..backup.reader import BackupFile, refuse_without_room
from ..backup.safety_copy import backup_folder, make_readable_backup, make_safety_backup
from ..names import add_consistent_aliases, display_name, listed


class RestoreMode(StrEnum):
    """The treatment of a namespace that has memories already."""

    REFUSE = "refuse"
    MERGE = "merge"
    REPLACE = "replace"


@dataclass(frozen=True, slots=True, kw_only=True)
class RestoreResult:
    """The number of restored memories, and the path of a backup of the former ones."""

    namespace: Namespace
    memories: int
    backup: Path | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class _PreparedRestore:
    """A restore ready to commit, with the sizes of the existing logs when it was prepared.

    `existing` is the folder with the namespace's files of that time.
    """

    restored: RestoreResult
    log_sizes_seen: Mapping[str, int]
    existing: Path


def restore(
    memory: LongTermMemory,
    path: Path,
    *,
    mode: RestoreMode = RestoreMode.REFUSE,
    to: Namespace | None = None,
    takes_names: bool = True,
) -> list[RestoreResult]:
    """Restores all namespaces of the file, or only `to`. The only one in a file can get any name.

    Aliases of this installation decide where each goes. If all are restored, and with
    `takes_names`, the file's aliases are added unless they contradict those here, or give a user of
    the API memories that were here.

    Checks everything first and then changes everything at once. Raises ImportFailed for a broken
    file, ConfigError for memories in the way or names that do not fit, StorageLocked while another
    program writes there, StorageFailed.
    """
    owners_before = {space.user for space in memory.namespaces()}
    with BackupFile(path) as file:
        chosen = _resolve_names(memory, select_contents(file, to))
        with memory.shared.begin_swap() as stage:
            _refuse_to_overwrite(stage, chosen, mode)
            refuse_without_room(list(chosen.values()), stage.folder)
            for namespace, contents in chosen.items():
                folder = stage.scratch_folder(namespace)
                file.unpack(contents, folder)
                write_manifest(namespace, folder, extra=contents.extra_fields)
            done = _commit(memory, stage, chosen, mode)
        if to is None and takes_names:
            add_consistent_aliases(memory, file.aliases, owners_before=owners_before)
        return done


def select_contents(file: BackupFile, to: Namespace | None) -> dict[Namespace, NamespaceContents]:
    found = {contents.namespace: contents for contents in file.contents}
    if to is None or found.keys() == {to}:
        return found
    if len(found) == 1:
        return {to: file.contents[0]}
    if to not in found:
        names = ", ".join(map(display_name, found))
        raise ConfigError(
            f"{file.path} has nothing of {display_name(to)}, but {names}", key="--character"
        )
    return {to: found[to]}


def _resolve_names(
    memory: LongTermMemory, chosen: Mapping[Namespace, NamespaceContents]
) -> dict[Namespace, NamespaceContents]:
    """Maps the namespaces to their names here. Raises ConfigError if two of them are one here."""
    found: dict[Namespace, NamespaceContents] = {}
    for namespace, contents in chosen.items():
        target = memory.resolve(namespace)
        if target in found:
            names = f"{found[target].namespace.label} and {contents.namespace.label}"
            problem = f"{names} are both {target.label} here"
            raise ConfigError(
                f"{problem}: restore them one by one (--user, --character)", key="--user"
            )
        found[target] = contents
    return found


def _refuse_to_overwrite(
    stage: NamespaceSwap, chosen: Mapping[Namespace, NamespaceContents], mode: RestoreMode
) -> None:
    taken = [namespace for namespace in chosen if stage.sizes(namespace)]
    if taken and mode is RestoreMode.REFUSE:
        names = listed(map(display_name, taken))
        raise ConfigError(
            f"there are memories of {names} already: add what is missing (--merge), replace them "
            "after a backup (--replace), or restore under another name (--user, --character)",
            key="--merge",
        )


def _commit(
    memory: LongTermMemory,
    stage: NamespaceSwap,
    chosen: Mapping[Namespace, NamespaceContents],
    mode: RestoreMode,
) -> list[RestoreResult]:
    """Prepares all while the memory is in use, prepares changed namespaces again, and commits."""
    ready = {namespace: _prepare(memory, stage, namespace, mode) for namespace in chosen}
    with memory.closed(list(chosen)):
        for namespace, target in ready.items():
            if stage.sizes(namespace) != target.log_sizes_seen:
                _refuse_to_overwrite(stage, chosen, mode)
                ready[namespace] = _prepare(memory, stage, namespace, mode)
        for namespace, contents in chosen.items():
            new, existing = stage.new_folder(namespace), ready[namespace].existing
            if contents.pauses is not None:
                pauses.restore(contents.pauses, new, existing)
            own = existing if mode is RestoreMode.MERGE else None
            held.restore(contents.held, new, own)
        stage.commit(
            {namespace: target.log_sizes_seen for namespace, target in ready.items()},
            keep=(pauses.FILE, INDEX) if mode is RestoreMode.MERGE else (pauses.FILE,),
        )
    return [target.restored for target in ready.values()]


def _prepare(
    memory: LongTermMemory, stage: NamespaceSwap, namespace: Namespace, mode: RestoreMode
) -> _PreparedRestore:
    saved_in, now = backup_folder(memory.root), memory.now()
    seen, root = stage.sizes(namespace), stage.current_root(namespace)
    raw, fresh = stage.scratch_folder(namespace), stage.new_folder(namespace)
    if not seen or mode is RestoreMode.REPLACE:
        saved = make_safety_backup(namespace, root, saved_in, now=now) if seen else None
        count = copy_all(raw, fresh)
    else:
        saved = make_readable_backup(namespace, root, saved_in, now=now)
        count = add_missing(raw, namespace.folder(root), fresh)
    done = RestoreResult(namespace=namespace, memories=count, backup=saved)
    return _PreparedRestore(restored=done, log_sizes_seen=seen, existing=namespace.folder(root))


def restore_for_tab(
    hooks: Hooks,
    path: Path,
    mode: RestoreMode,
    *,
    to: Namespace | None = None,
    takes_names: bool = True,
) -> list[RestoreResult]:
    """Restores a backup into a running program and refreshes its chats and caches.

    `to` and `takes_names` are as in restore(). Raises ImportFailed, ConfigError, StorageLocked,
    StorageFailed; nothing is changed then.
    """
    with BackupFile(path) as file:
        spaces = list(_resolve_names(hooks.runtime.memory, select_contents(file, to)))
    if mode is RestoreMode.REPLACE:
        for namespace in spaces:
            hooks.synchronizer.unwatch(namespace)
    done = restore(hooks.runtime.memory, path, mode=mode, to=to, takes_names=takes_names)
    for namespace in spaces:
        hooks.prompt_builder.forget_namespace(namespace)
        hooks.command_executor.forget_namespace(namespace)
        hooks.runtime.pauses.drop(namespace)
        if mode is RestoreMode.REPLACE:
            hooks.runtime.traces.drop_all(namespace)
        hooks.runtime.schedule(namespace)
    return done
