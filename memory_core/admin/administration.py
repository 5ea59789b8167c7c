"""Merges, renames, deletes and backs up the memories of a running program."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from ..consolidation.service import Consolidation
from ..domain.namespaces import Namespace
from ..host.hooks import Hooks
from ..infra.deadlines import seconds_since_prompt
from ..memory.erasure import all_ids
from . import names
from .automatic_backups import AutomaticBackups
from .intake import Intake


class Administration:
    """Holds the work that outlives a page of the tab: backups, imports, background work."""

    def __init__(self, hooks: Hooks, *, idle_s: Callable[[], float] = seconds_since_prompt) -> None:
        """`idle_s` returns the seconds since somebody last used the program."""
        self.hooks = hooks
        self.consolidation = Consolidation(hooks.runtime, idle_s)
        self.copies = AutomaticBackups(hooks.runtime, lambda: hooks.host)
        self.intake = Intake(hooks)

    def destroy(self, namespace: Namespace) -> Path:
        """Deletes all memories of one character and returns the path of a backup of them.

        Removes them from the automatic backups too. Raises StorageFailed.
        """
        with self.copies.deleting_namespace(namespace):
            return destroy(self.hooks, namespace)


def merge(hooks: Hooks, alias: Namespace, namespace: Namespace) -> Path:
    """Moves all memories of `alias` into `namespace`; returns the path of a backup of them.

    Raises ConfigError if both are the same namespace, StorageFailed.
    """
    runtime = hooks.runtime
    old, new = runtime.memory.resolve(alias), runtime.memory.resolve(namespace)
    with hooks.synchronizer.transferring(old, new):
        saved = names.merge(runtime.memory, runtime.pauses, old, new)
    _transfer_chats(hooks, old, new)
    return saved


def rename(hooks: Hooks, namespace: Namespace, new: Namespace) -> None:
    """Renames a namespace. Raises ConfigError if the new name has memories already, StorageFailed.

    Open chats and traces follow.
    """
    runtime = hooks.runtime
    old = runtime.memory.resolve(namespace)
    with hooks.synchronizer.transferring(old, new):
        names.rename(runtime.memory, runtime.pauses, old, new)
    _transfer_chats(hooks, old, new)


def destroy(hooks: Hooks, namespace: Namespace) -> Path:
    """Deletes all memories of one character and returns the path of a backup of them.

    A chat that is open now is remembered again only when it continues. Raises StorageFailed.
    """
    hooks.synchronizer.unwatch(namespace)
    hooks.prompt_builder.forget_namespace(namespace)
    hooks.command_executor.forget_namespace(namespace)
    runtime = hooks.runtime
    runtime.leave(namespace)
    with runtime.memory.open_namespace(namespace) as opened:
        ids = all_ids(opened)
    saved = names.destroy(runtime.memory, runtime.pauses, namespace)
    runtime.traces.redact(namespace, ids)  # those of other characters, if it was shared
    runtime.traces.drop_all(namespace)
    runtime.journal.drop_all(namespace)
    return saved


def _transfer_chats(hooks: Hooks, old: Namespace, new: Namespace) -> None:
    hooks.prompt_builder.forget_namespace(old)
    hooks.command_executor.forget_namespace(old)
    if chat := hooks.last_chats.pop(old):
        aliases = hooks.runtime.memory.aliases
        name = aliases.chat_name(new, old.character, chat.conversation)
        hooks.last_chats.put(new, replace(chat, namespace=new, conversation=name))
    hooks.runtime.traces.move(old, new)
    hooks.runtime.schedule(new)
