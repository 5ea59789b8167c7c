"""Changes what names mean, and with them what else is kept by name: never so that memories vanish.

A name that has memories of its own can be merged into another, but not become a mere alias: its
memories would be out of everybody's reach.
"""

from dataclasses import replace
from pathlib import Path

from ..domain.control_characters import visible_name
from ..domain.errors import ConfigError
from ..domain.namespaces import NAMED_SCOPES, Namespace, Scope
from ..memory.long_term_memory import LongTermMemory
from ..storage.aliases import ALIASES, Aliases
from ..storage.pauses import ChatPauses, PauseState
from .backup.safety_copy import make_safety_backup
from .move_namespaces import delete_folder, move_events, move_folder


def merge(
    memory: LongTermMemory, switches: ChatPauses, alias: Namespace, namespace: Namespace
) -> Path:
    """Moves all of the first into the second, whose name it is from now on.

    What was paused or withheld in either stays so. Returns the path of a backup of what was moved.
    Raises ConfigError where there is nothing to move, or where both are one, StorageFailed where
    anything would get lost.
    """
    _refuse_same(
        memory.resolve(alias),
        memory.resolve(namespace),
        display_name(alias),
        display_name(namespace),
    )
    alias, namespace = memory.resolve(alias), memory.resolve(namespace)
    for space in (alias, namespace):
        _refuse_shared_scope(space)
        if not space.folder(memory.root).is_dir():
            raise ConfigError(f"there are no memories of {display_name(space)}", key="name")
    theirs, ours = switches.paused_chats(alias), switches.paused_chats(namespace)
    switches.merge_from(alias, namespace)
    saved = _moved(memory, alias, namespace)
    for chat, switch in theirs.items():
        name = memory.aliases.chat_name(namespace, alias.character, chat)
        if name != chat:  # both had one of this name: adopt() took them for one
            switches.set_pause(namespace, name, switch)
            switches.set_pause(namespace, chat, ours.get(chat, PauseState()))
    switches.drop(alias)
    return saved


def _moved(memory: LongTermMemory, alias: Namespace, namespace: Namespace) -> Path:
    """Moves the lines; of what both have the second one's counts."""
    with memory.closed([alias, namespace]):
        memory.set_aliases(memory.aliases)  # nothing moves where they cannot be written
        memory.aliases.with_namespace(alias, namespace)
        saved = make_safety_backup(alias, memory.root, now=memory.now())
        move_events(alias, namespace, memory.root, memory.aliases)
    return saved


def rename(
    memory: LongTermMemory, switches: ChatPauses, namespace: Namespace, new: Namespace
) -> None:
    """Gives the memories another name, which must not have any; the old one means it too.

    Raises ConfigError where nothing has the old name, or something the new one.
    """
    _refuse_empty(new)
    old, new = memory.resolve(namespace), memory.aliases.without(new).resolve(new)
    for space in (old, new):
        _refuse_shared_scope(space)
    if not old.folder(memory.root).is_dir():
        raise ConfigError(f"there are no memories of {display_name(old)}", key="name")
    _refuse_taken(memory, new)
    with memory.closed([old, new]):
        _refuse_taken(memory, new)
        memory.set_aliases(memory.aliases)  # nothing moves where they cannot be written
        move_folder(old, new, memory.root, memory.aliases)
    switches.drop(old)
    switches.drop(new)


def destroy(memory: LongTermMemory, switches: ChatPauses, namespace: Namespace) -> Path:
    """Deletes all memories, after a backup whose path it returns. Raises StorageFailed."""
    namespace = memory.resolve(namespace)
    with switches.preserve_never_mark(namespace), memory.alone(namespace) as archive:
        archive.event_log.lock_for_writing()
        saved = make_safety_backup(namespace, memory.root, now=memory.now())
        archive.close()
        delete_folder(namespace, memory.root)
    return saved


def add_alias(memory: LongTermMemory, alias: Namespace, namespace: Namespace) -> None:
    """Has one name mean another. Raises ConfigError where it has memories of its own."""
    for space in (alias, namespace):
        _refuse_shared_scope(space)
        _refuse_empty(space)
    _refuse_same(alias, namespace, display_name(alias), display_name(namespace))
    _refuse_to_hide(memory, [alias])
    memory.set_aliases(memory.aliases.with_namespace(alias, namespace))


def add_user(memory: LongTermMemory, alias: str, user: str) -> None:
    """The same for a user, with all characters."""
    if not (alias.strip() and user.strip()):
        raise ConfigError("a name is empty", key="name")
    _refuse_same(alias, user, alias, user)
    _refuse_to_hide(memory, [space for space in memory.namespaces() if space.user == alias])
    memory.set_aliases(memory.aliases.with_user(alias, user))


def drop_alias(memory: LongTermMemory, name: Namespace | str) -> None:
    """Lets a name mean itself again; what was moved stays. Raises ConfigError for none."""
    without = memory.aliases.without(name)
    if without == memory.aliases:
        told = name if isinstance(name, str) else display_name(name)
        raise ConfigError(f"{told} is no other name of anybody", key=ALIASES)
    memory.set_aliases(without)


def add_consistent_aliases(memory: LongTermMemory, found: Aliases) -> int:
    """Adds those that contradict nothing and hide nothing; returns how many."""
    known, spaces = memory.aliases, memory.namespaces()
    users, named = {space.user for space in spaces}, set(spaces)
    count = 0
    for user, means in found.users.items():
        if user not in known.users and user not in users:
            known, count = _with_user(known, user, means, count)
    for space, meant in found.namespaces.items():
        if space not in known.namespaces and space not in named:
            known, count = _with_namespace(known, space, meant, count)
    chats = {**found.chats, **known.chats}
    if count or chats != known.chats:
        memory.set_aliases(replace(known, chats=chats).resolve_chains())
    return count


def _with_user(known: Aliases, alias: str, user: str, count: int) -> tuple[Aliases, int]:
    try:
        return known.with_user(alias, user), count + 1
    except ConfigError:
        return known, count


def _with_namespace(
    known: Aliases, alias: Namespace, namespace: Namespace, count: int
) -> tuple[Aliases, int]:
    try:
        return known.with_namespace(alias, namespace), count + 1
    except ConfigError:
        return known, count


def _refuse_to_hide(memory: LongTermMemory, names: list[Namespace]) -> None:
    for space in names:
        if space.folder(memory.root).is_dir():
            raise ConfigError(
                f"{display_name(space)} has memories of its own: merge them", key="name"
            )


def _refuse_same(name: object, other: object, told: str, other_told: str) -> None:
    if name == other:
        raise ConfigError(f"{told} and {other_told} mean the same already", key="name")


def _refuse_empty(namespace: Namespace) -> None:
    names = [namespace.user, *([namespace.character] if namespace.scope is Scope.CHARACTER else [])]
    if not all(name.strip() for name in names):
        raise ConfigError(f"a name of {display_name(namespace)} is empty", key="name")


def _refuse_taken(memory: LongTermMemory, new: Namespace) -> None:
    if new.folder(memory.root).exists():
        raise ConfigError(f"{new.label} has memories already: merge the two", key="name")


def _refuse_shared_scope(namespace: Namespace) -> None:
    if namespace.scope not in NAMED_SCOPES:
        raise ConfigError(f"{display_name(namespace)} is nobody's name", key="name")


def display_name(namespace: Namespace) -> str:
    """As the command line and errors tell it."""
    told = namespace.character if namespace.scope is Scope.CHARACTER else f"_{namespace.scope}"
    return visible_name(f"{namespace.user} / {told}")
