"""Renames, merges and deletes what is being chatted with: chats, traces and pauses go along."""

from dataclasses import replace
from pathlib import Path

from .. import naming
from ..namespaces import Namespace
from .hooks import Hooks


def merge(hooks: Hooks, alias: Namespace, namespace: Namespace) -> Path:
    """Moves all memories of the first into the second; returns the path of a backup of them.

    Raises ConfigError where both are one, StorageFailed.
    """
    runtime = hooks.runtime
    old, new = runtime.memory.resolve(alias), runtime.memory.resolve(namespace)
    with hooks.settler.handing_over(old, new):
        saved = naming.merge(runtime.memory, runtime.switches, old, new)
    _follow(hooks, old, new)
    return saved


def rename(hooks: Hooks, namespace: Namespace, new: Namespace) -> None:
    """Raises ConfigError where the new name has memories already, StorageFailed."""
    runtime = hooks.runtime
    old = runtime.memory.resolve(namespace)
    with hooks.settler.handing_over(old, new):
        naming.rename(runtime.memory, runtime.switches, old, new)
    _follow(hooks, old, new)


def destroy(hooks: Hooks, namespace: Namespace) -> Path:
    """Deletes all memories of one character after a backup, whose path it returns.

    A chat that is open now is remembered again only once somebody goes on with it. Raises
    StorageFailed.
    """
    hooks.settler.drop(namespace)
    hooks.turns.threads.drop(namespace)
    hooks.orders.drop(namespace)
    runtime = hooks.runtime
    runtime.leave(namespace)
    saved = naming.destroy(runtime.memory, runtime.switches, namespace)
    runtime.traces.drop_all(namespace)
    return saved


def _follow(hooks: Hooks, old: Namespace, new: Namespace) -> None:
    hooks.turns.threads.drop(old)
    hooks.orders.drop(old)
    if chat := hooks.last_chats.pop(old):
        aliases = hooks.runtime.memory.aliases
        name = aliases.chat_name(new, old.character, chat.conversation)
        hooks.last_chats.put(new, replace(chat, namespace=new, conversation=name))
    hooks.runtime.traces.move(old, new)
    hooks.runtime.touch(new)
