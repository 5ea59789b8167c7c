"""Restores into the memory that is being chatted with."""

from pathlib import Path

from ...host.hooks import Hooks
from ..backup.reader import BackupFile
from .restore import Mode, Restored, restore


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
