"""The namespaces that a visitor may see: keys, labels and selection."""

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from ....domain.namespaces import Namespace, Scope, page_user, signed_in_user
from ....domain.unicode import well_formed
from ....host.hooks import Hooks
from ....memory.traces import Trace
from ....storage.aliases import Aliases
from ....text.locales import Words


def visible_namespaces(hooks: Hooks, signed_in: str | None) -> list[Namespace]:
    """Returns all namespaces or, on a shared page, those of the signed-in user."""
    found = hooks.runtime.memory.namespaces()
    if not hooks.host.is_multi_user():
        return found
    user = _resolved_user(hooks, signed_in)
    return [space for space in found if user is not None and space.user == user]


def _resolved_user(hooks: Hooks, signed_in: str | None) -> str | None:
    """Returns the signed-in user under the name that the memories have now."""
    user = signed_in_user(signed_in)
    return None if user is None else hooks.runtime.memory.resolve(Namespace.shared(user)).user


def without_memories(
    hooks: Hooks, signed_in: str | None, stored: Sequence[Namespace], opened: Namespace | None
) -> list[Namespace]:
    """Returns the visitor's characters who have no memories yet, that of the open chat first.

    `stored` are the visible namespaces, `opened` is that of the chat open on the page.
    """
    resolve = hooks.runtime.memory.resolve
    found = (resolve(space) for space in _known_characters(hooks, signed_in, opened))
    return [space for space in dict.fromkeys(found) if space not in stored]


def _known_characters(
    hooks: Hooks, signed_in: str | None, opened: Namespace | None
) -> Iterator[Namespace]:
    """Yields the namespace of the open chat, and those of the host's characters."""
    if hooks.host.is_multi_user():
        user = _resolved_user(hooks, signed_in)
        opened = opened if opened is not None and opened.user == user else None
    else:
        user = opened.user if opened else page_user(hooks.host.user_profile())
    if opened is not None:
        yield opened
    characters = getattr(hooks.host, "characters", None)
    if user is not None and characters:
        yield from (Namespace(user, name) for name in characters())


def namespace_key(namespace: Namespace) -> str:
    """Returns the key by which the page names a namespace; never used as a path."""
    return namespace.folder(Path()).as_posix()


def character_label(namespace: Namespace, words: Words) -> str:
    """Returns the character's name, or the label of instruct mode or of all characters."""
    if namespace.scope is Scope.CHARACTER:
        return well_formed(namespace.character)
    return words["instruct" if namespace.scope is Scope.INSTRUCT else "all_characters"]


def namespace_label(namespace: Namespace, words: Words) -> str:
    if namespace.scope is Scope.WORLD:
        return words["shared"]
    return f"{well_formed(namespace.user) or words['shared']} / {character_label(namespace, words)}"


def labels_among(spaces: Sequence[Namespace], words: Words) -> Callable[[Namespace], str]:
    """Returns a function that labels these, without the user if all of them belong to one."""
    users = {space.user for space in spaces if space.scope is not Scope.WORLD}
    return lambda namespace: (
        namespace_label(namespace, words)
        if len(users) > 1 or namespace.scope is Scope.WORLD
        else character_label(namespace, words)
    )


def namespace_choices(
    stored: Sequence[Namespace], others: Sequence[Namespace], words: Words
) -> list[tuple[str, str]]:
    """Returns the label and key of each; `others` have no memories, as their labels say."""
    label = labels_among([*stored, *others], words)
    known = [(label(space), namespace_key(space)) for space in stored]
    new = [(words("who_new", name=label(space)), namespace_key(space)) for space in others]
    return known + new


def namespace_by_key(spaces: Sequence[Namespace], wanted: str | None) -> Namespace | None:
    """Returns the namespace with exactly this key, because actions on it may be irreversible."""
    return next((space for space in spaces if namespace_key(space) == wanted), None)


def present_key(aliases: Aliases, key: str) -> str:
    """Returns the key that the namespace has since it was renamed or merged."""
    keys = {namespace_key(old): namespace_key(new) for old, new in aliases.namespaces.items()}
    return keys.get(key, key)


def last_active_key(spaces: Sequence[Namespace], traces: Sequence[Trace]) -> str | None:
    """Returns the key of the namespace that the newest of these traces is about."""
    keys = {(space.user, space.character or space.scope): namespace_key(space) for space in spaces}
    named = (keys.get((trace.user, trace.character)) for trace in traces)
    return next(filter(None, named), None)
