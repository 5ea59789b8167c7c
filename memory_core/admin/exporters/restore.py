"""Brings a backup back: into an empty place, in place of what is there, or added to it."""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

from ...domain.errors import ImportFailed
from ...domain.namespaces import Namespace
from ...host.hooks import Hooks
from ...memory.long_term_memory import LongTermMemory
from ...memory.namespace_memory import INDEX
from ...storage import pauses
from ...storage.folder_swap import Staging, staging
from ...storage.log.event_log import Transcript
from ...storage.manifest import write_manifest
from ...storage.merge_logs import add, copy
from ..backup.layout import Contents
from ..backup.reader import BackupFile, refuse_without_room
from ..backup.safety_copy import kept, kept_readable
from ..names import add_known, shown


class Mode(StrEnum):
    """What happens to a namespace that has memories already."""

    REFUSE = "refuse"
    MERGE = "merge"
    REPLACE = "replace"


@dataclass(frozen=True, slots=True, kw_only=True)
class Restored:
    """`memories` were added. `backup` holds what was there before."""

    namespace: Namespace
    memories: int
    backup: Path | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class _Target:
    """`seen`: the logs that are there, with their sizes, when its new folder was made."""

    restored: Restored
    seen: Mapping[str, int]


def restore(
    memory: LongTermMemory,
    path: Path,
    *,
    mode: Mode = Mode.REFUSE,
    to: Namespace | None = None,
    clock: Callable[[], float] = time.time,
) -> list[Restored]:
    """All namespaces of the file, or `to` alone: the file's only one under that name. What has
    another name here goes where that one's memories are.

    With all of them come the other names that the file tells, unless they contradict those here.

    Everything is checked before anything is changed, and then changed at once. Raises ImportFailed
    for a broken file and where memories are in the way, StorageLocked while another program
    writes there, StorageFailed.
    """
    with BackupFile(path) as file:
        chosen = _resolved(memory, _chosen(file, to))
        _refuse_to_overwrite(memory.root, chosen, mode)
        with staging(memory.root) as stage:
            refuse_without_room(list(chosen.values()), memory.root)
            for namespace, contents in chosen.items():
                folder = stage.beside(namespace)
                file.unpack(contents, folder)
                write_manifest(namespace, folder, extra=contents.about)
            done = _put_in_place(memory, stage, chosen, mode, clock)
        if to is None:
            add_known(memory, file.aliases)
        return done


def _chosen(file: BackupFile, to: Namespace | None) -> dict[Namespace, Contents]:
    found = {it.namespace: it for it in file.contents}
    if to is None or found.keys() == {to}:
        return found
    if len(found) == 1:
        return {to: file.contents[0]}
    if to not in found:
        names = ", ".join(map(shown, found))
        raise ImportFailed(f"{file.path} has nothing of {shown(to)}, but {names}")
    return {to: found[to]}


def _resolved(
    memory: LongTermMemory, chosen: Mapping[Namespace, Contents]
) -> dict[Namespace, Contents]:
    """By the names that count here; two of the file may have become one."""
    found: dict[Namespace, Contents] = {}
    for namespace, contents in chosen.items():
        meant = memory.resolve(namespace)
        if meant in found:
            names = f"{found[meant].namespace.label} and {contents.namespace.label}"
            told = f"{names} are both {meant.label} here"
            raise ImportFailed(f"{told}: restore them one by one (--user, --character)")
        found[meant] = contents
    return found


def _refuse_to_overwrite(root: Path, chosen: Mapping[Namespace, Contents], mode: Mode) -> None:
    taken = [it for it in chosen if _logs(root, it)]
    if taken and mode is Mode.REFUSE:
        names = ", ".join(map(shown, taken))
        raise ImportFailed(
            f"there are memories of {names} already: merge (adds what is missing) or replace "
            "(after a backup) them, or restore under another name"
        )


def _put_in_place(
    memory: LongTermMemory,
    stage: Staging,
    chosen: Mapping[Namespace, Contents],
    mode: Mode,
    clock: Callable[[], float],
) -> list[Restored]:
    """Prepares while the memory is in use; what was written to meanwhile is prepared again."""
    ready = {it: _prepared(memory.root, stage, it, mode, clock) for it in chosen}
    with memory.closed(list(chosen)):
        for namespace, target in ready.items():
            if _logs(memory.root, namespace) != target.seen:
                _refuse_to_overwrite(memory.root, chosen, mode)
                ready[namespace] = _prepared(memory.root, stage, namespace, mode, clock)
        for namespace, contents in chosen.items():
            if contents.switches is not None:
                place, existing = stage.of(namespace), namespace.folder(memory.root)
                pauses.bring_back(contents.switches, place, existing)
        stage.put_in_place(
            {namespace: target.seen for namespace, target in ready.items()},
            keep=(pauses.FILE, INDEX) if mode is Mode.MERGE else (pauses.FILE,),
        )
    return [target.restored for target in ready.values()]


def _prepared(
    root: Path, stage: Staging, namespace: Namespace, mode: Mode, clock: Callable[[], float]
) -> _Target:
    seen = _logs(root, namespace)
    raw, fresh = stage.beside(namespace), stage.of(namespace)
    if not seen or mode is Mode.REPLACE:
        saved = kept(namespace, root, now=clock()) if seen else None
        count = copy(raw, fresh)
        done = Restored(namespace=namespace, memories=count, backup=saved)
    else:
        saved = kept_readable(namespace, root, now=clock())
        count = add(raw, namespace.folder(root), fresh)
        done = Restored(namespace=namespace, memories=count, backup=saved)
    return _Target(restored=done, seen=seen)


def _logs(root: Path, namespace: Namespace) -> Mapping[str, int]:
    return Transcript(namespace.folder(root)).logs()


def bring_back(hooks: Hooks, path: Path, mode: Mode) -> list[Restored]:
    """Raises ImportFailed, StorageLocked, StorageFailed; nothing is changed then."""
    with BackupFile(path) as file:
        spaces = [hooks.runtime.memory.resolve(it.namespace) for it in file.contents]
    if mode is Mode.REPLACE:
        for namespace in spaces:
            hooks.settler.drop(namespace)
    done = restore(hooks.runtime.memory, path, mode=mode)
    for namespace in spaces:
        hooks.turns.threads.drop(namespace)
        hooks.orders.drop(namespace)
        hooks.runtime.switches.drop(namespace)
        if mode is Mode.REPLACE:
            hooks.runtime.traces.drop_all(namespace)
        hooks.runtime.touch(namespace)
    return done
