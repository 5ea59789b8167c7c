"""Merges, renames and deletes namespaces, and adds aliases, without losing memories.

A namespace with its own memories can be merged into another, but cannot become a mere alias, which
would make its memories unreachable.
"""

from collections.abc import Callable, Collection, Iterable
from collections.abc import Set as AbstractSet
from contextlib import suppress
from dataclasses import replace
from difflib import get_close_matches
from functools import wraps
from pathlib import Path
from typing import Concatenate, ParamSpec, TypeVar

from ..domain.errors import ConfigError
from ..domain.namespaces import API_PREFIX, NAMED_SCOPES, Namespace, Scope
from ..domain.unicode import visible_name
from ..infra import durable_files
from ..memory.erasure import all_ids
from ..memory.long_term_memory import LongTermMemory
from ..memory.recall_counts import remove_counts
from ..memory.trace_history import redact_everywhere
from ..storage.aliases import ALIASES, Aliases, lock_aliases
from ..storage.pauses import ChatPauses, PauseState
from ..storage.shared import NamespaceSwap
from .backup.safety_copy import backup_folder, make_safety_backup
from .move_namespaces import move_copy, move_events, move_folder

P = ParamSpec("P")
T = TypeVar("T")
_MAX_LISTED = 6


def _one_at_a_time(
    change: Callable[Concatenate[LongTermMemory, P], T],
) -> Callable[Concatenate[LongTermMemory, P], T]:
    """Makes the change wait for other programs' changes: each change rewrites all aliases."""

    @wraps(change)
    def locked(memory: LongTermMemory, /, *args: P.args, **options: P.kwargs) -> T:
        with lock_aliases(memory.root):
            return change(memory, *args, **options)

    return locked


@_one_at_a_time
def merge(
    memory: LongTermMemory, pauses: ChatPauses, alias: Namespace, namespace: Namespace
) -> Path:
    """Moves all memories of `alias` into `namespace` and makes `alias` an alias of it.

    Pauses and exclusions of both stay. Returns the path of a backup of the moved memories. Raises
    ConfigError if there is nothing to move or both are the same, StorageFailed if anything would
    be lost.
    """
    shown = display_name(alias), display_name(namespace)
    alias, namespace = memory.resolve(alias), memory.resolve(namespace)
    _refuse_same(alias, namespace, *shown)
    for space in (alias, namespace):
        _refuse_shared_scope(space)
        if not memory.shared.namespaces.has(space):
            raise ConfigError(f"there are no memories of {display_name(space)}", key="name")
    theirs, ours = pauses.chat_states(alias), pauses.chat_states(namespace)
    pauses.merge_from(alias, namespace)
    saved = _move_with_backup(memory, alias, namespace)
    for chat, state in theirs.items():
        name = memory.aliases.chat_name(namespace, alias.character, chat)
        if name != chat:  # both had a chat of this name, and merge_from() joined their pauses
            pauses.set_pause(namespace, name, state)
            pauses.set_pause(namespace, chat, ours.get(chat, PauseState()))
    pauses.drop(alias)
    return saved


def _move_with_backup(memory: LongTermMemory, alias: Namespace, namespace: Namespace) -> Path:
    with memory.closed([alias, namespace]):
        memory.set_aliases(memory.aliases)  # fails before anything moves if it cannot be written
        memory.aliases.with_namespace(alias, namespace)
        with memory.shared.begin_swap() as stage:
            saved = _back_up(memory, alias, stage)
            move_events(alias, namespace, stage, memory.aliases)
    return saved


def _back_up(memory: LongTermMemory, namespace: Namespace, stage: NamespaceSwap) -> Path:
    files, into = stage.current_root(namespace), backup_folder(memory.root)
    return make_safety_backup(namespace, files, into, now=memory.now())


@_one_at_a_time
def rename(
    memory: LongTermMemory, pauses: ChatPauses, namespace: Namespace, new: Namespace
) -> None:
    """Renames a namespace and keeps its old name as an alias.

    Raises ConfigError if the old name has no memories, or if the new name has some.
    """
    _refuse_empty(new)
    old, new = memory.resolve(namespace), memory.aliases.without(new).resolve(new)
    for space in (old, new):
        _refuse_shared_scope(space)
    if not memory.shared.namespaces.has(old):
        raise ConfigError(f"there are no memories of {display_name(old)}", key="name")
    _refuse_taken(memory, new)
    with memory.closed([old, new]):
        _refuse_taken(memory, new)
        memory.set_aliases(memory.aliases)  # fails before anything moves if it cannot be written
        _move(memory, old, new)
    pauses.drop(old)
    pauses.drop(new)


def _move(memory: LongTermMemory, old: Namespace, new: Namespace) -> None:
    if memory.shared.is_in_files:
        move_folder(old, new, memory.root, memory.aliases)
        return
    with memory.shared.begin_swap() as stage:
        move_copy(old, new, stage, memory.aliases)


def destroy(memory: LongTermMemory, pauses: ChatPauses, namespace: Namespace) -> Path:
    """Deletes all memories and returns the path of a backup of them. Raises StorageFailed.

    Before, their words leave the saved traces of everybody who could recall them.
    """
    namespace = memory.resolve(namespace)
    with pauses.preserve_exclusions(namespace), memory.alone(namespace) as opened:
        opened.event_log.lock_for_writing()
        ids, folder = all_ids(opened), opened.event_log.folder
        with memory.shared.begin_swap() as stage:
            saved = _back_up(memory, namespace, stage)
            redact_everywhere(folder, ids)
            remove_counts(folder, ids)
            opened.close()
            stage.delete(namespace)
    return saved


@_one_at_a_time
def add_alias(memory: LongTermMemory, alias: Namespace, namespace: Namespace) -> None:
    """Makes `alias` another name of `namespace`. Raises ConfigError if it has own memories."""
    for space in (alias, namespace):
        _refuse_shared_scope(space)
        _refuse_empty(space)
    _refuse_same(alias, namespace, display_name(alias), display_name(namespace))
    _refuse_to_hide(memory, [alias])
    memory.set_aliases(memory.aliases.with_namespace(alias, namespace))


@_one_at_a_time
def add_user(memory: LongTermMemory, alias: str, user: str) -> None:
    """Makes `alias` another name of `user`, for all characters.

    Raises ConfigError if the alias has memories of its own.
    """
    if not (alias.strip() and user.strip()):
        raise ConfigError("a name is empty", key="name")
    _refuse_same(alias, user, alias, user)
    _refuse_to_hide(memory, [space for space in memory.namespaces() if space.user == alias])
    memory.set_aliases(memory.aliases.with_user(alias, user))


@_one_at_a_time
def drop_alias(memory: LongTermMemory, name: Namespace | str) -> None:
    """Removes an alias; moved memories stay. Raises ConfigError if the name is no alias."""
    without = memory.aliases.without(name)
    if without == memory.aliases:
        shown = name if isinstance(name, str) else display_name(name)
        raise ConfigError(f"{shown} is no alias", key=ALIASES)
    memory.set_aliases(without)


@_one_at_a_time
def add_consistent_aliases(
    memory: LongTermMemory, found: Aliases, *, owners_before: AbstractSet[str] = frozenset()
) -> int:
    """Adds the aliases that addable_aliases() returns, and the names of chats; returns how many."""
    known = memory.aliases
    new = addable_aliases(known, found, spaces=memory.namespaces(), owners_before=owners_before)
    joined = replace(
        known,
        users={**known.users, **new.users},
        namespaces={**known.namespaces, **new.namespaces},
        chats={**found.chats, **known.chats},
    )
    if joined != known:
        memory.set_aliases(joined.resolve_chains())
    return len(new.users) + len(new.namespaces)


def addable_aliases(
    known: Aliases,
    found: Aliases,
    *,
    spaces: Collection[Namespace],
    owners_before: AbstractSet[str] = frozenset(),
) -> Aliases:
    """Returns the users and namespaces of `found` that contradict no known alias, and hide none of
    `spaces`.

    None gives a user of the API the memories of somebody who had some before the file came: the
    file may be anybody's.
    """
    users, named = {space.user for space in spaces}, set(spaces)
    closed = {*owners_before, *known.users, *(space.user for space in known.namespaces)}
    new = Aliases()
    for user, target_user in found.users.items():
        is_open = not user.startswith(API_PREFIX) or target_user not in closed
        if is_open and user not in known.users and user not in users:
            with suppress(ConfigError):
                known = known.with_user(user, target_user)
                new = replace(new, users={**new.users, user: target_user})
    for space, target in found.namespaces.items():
        is_open = not space.user.startswith(API_PREFIX) or target.user not in closed
        is_open = is_open or space.user == target.user
        if is_open and space not in known.namespaces and space not in named:
            with suppress(ConfigError):
                known = known.with_namespace(space, target)
                new = replace(new, namespaces={**new.namespaces, space: target})
    return new


def _refuse_to_hide(memory: LongTermMemory, names: list[Namespace]) -> None:
    for space in names:
        if memory.shared.namespaces.has(space):
            raise ConfigError(
                f"{display_name(space)} has memories of its own: merge them", key="name"
            )


def _refuse_same(name: object, other: object, shown: str, other_shown: str) -> None:
    if name == other:
        raise ConfigError(f"{shown} and {other_shown} mean the same already", key="name")


def _refuse_empty(namespace: Namespace) -> None:
    names = [namespace.user, *([namespace.character] if namespace.scope is Scope.CHARACTER else [])]
    if not all(name.strip() for name in names):
        raise ConfigError(f"a name of {display_name(namespace)} is empty", key="name")


def _refuse_taken(memory: LongTermMemory, new: Namespace) -> None:
    is_there = durable_files.exists(new.folder(memory.root))
    if is_there if memory.shared.is_in_files else memory.shared.namespaces.has(new):
        raise ConfigError(f"{new.label} has memories already: merge the two", key="name")


def _refuse_shared_scope(namespace: Namespace) -> None:
    if namespace.scope not in NAMED_SCOPES:
        raise ConfigError(f"{display_name(namespace)} cannot be renamed or merged", key="name")


def display_name(namespace: Namespace) -> str:
    """Returns a namespace's name as the command line and errors show it."""
    name = namespace.character if namespace.scope is Scope.CHARACTER else f"_{namespace.scope}"
    return visible_name(f"{namespace.user} / {name}")


def listed(names: Iterable[str], *, near: str = "") -> str:
    """Returns names for an error, at most a handful: those most like `near`, or the first."""
    found = sorted(names)
    shown = _most_like(near, found) if near else found
    shown = (found if len(found) <= _MAX_LISTED else shown)[:_MAX_LISTED]
    more = len(found) - len(shown)
    return ", ".join(shown) + (f" and {more:,} more" if more else "")


def _most_like(name: str, names: Iterable[str]) -> list[str]:
    by_key = {other.casefold(): other for other in names}
    keys = get_close_matches(name.casefold(), by_key, n=_MAX_LISTED, cutoff=0.0)
    return [by_key[key] for key in keys]
