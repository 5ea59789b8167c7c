"""Actions of the names panel, independent of Gradio: renames, merges, other names."""

import json
from collections.abc import Callable, Sequence

from ....admin import names
from ....admin.administration import merge, rename
from ....domain.errors import ConfigError
from ....domain.namespaces import NAMED_SCOPES, Namespace, Scope
from ....host.hooks import Hooks
from ....text.locales import Words
from ..common import visible_namespaces


def merge_targets(spaces: Sequence[Namespace], namespace: Namespace | None) -> list[Namespace]:
    """Returns the namespaces with which this one can be merged."""
    if namespace is None or namespace.scope not in NAMED_SCOPES:
        return []
    return [space for space in spaces if space != namespace and space.scope in NAMED_SCOPES]


def new_name(hooks: Hooks, namespace: Namespace | None) -> str:
    """Returns the character's new name in the host, or an empty string if it was not renamed."""
    return hooks.synchronizer.renamed_to(namespace) if namespace else ""


def rename_character(hooks: Hooks, namespace: Namespace | None, name: str, words: Words) -> str:
    """Renames a character and returns a message. Raises ConfigError if the name is taken."""
    if namespace is None or namespace.scope is not Scope.CHARACTER or not name.strip():
        return words["rename_nobody"]
    new = Namespace(namespace.user, name.strip())
    if new == namespace:
        return words["rename_nobody"]
    rename(hooks, namespace, new)
    return words("renamed", old=namespace.character, new=new.character)


def merge_question(hooks: Hooks, namespace: Namespace, other: Namespace, words: Words) -> str:
    """Returns the question by which a merge has to be confirmed."""
    count, has = (hooks.runtime.memory.counts(space)["live"] for space in (namespace, other))
    label = _labels(hooks, words)
    return words("merge_question", count=count, others=has, old=label(namespace), new=label(other))


def merge_characters(hooks: Hooks, namespace: Namespace, other: Namespace, words: Words) -> str:
    """Merges one namespace into another and returns a message.

    Raises StorageFailed, StorageLocked.
    """
    count = hooks.runtime.memory.counts(namespace)["live"]
    saved = merge(hooks, namespace, other)
    label = _labels(hooks, words)
    return words("merged", count=count, old=label(namespace), new=label(other), path=saved)


def alias_choices(hooks: Hooks, words: Words) -> dict[str, str]:
    """Returns the label of each alias, by the key that the page sends back."""
    known = hooks.runtime.memory.aliases
    users = {_key(alias): (alias, name) for alias, name in known.users.items()}
    label = _labels(hooks, words)
    spaces = {_key(alias): (label(alias), label(name)) for alias, name in known.namespaces.items()}
    return {key: words("alias_means", alias=a, name=b) for key, (a, b) in (users | spaces).items()}


def drop_alias(hooks: Hooks, key: str | None, words: Words) -> str:
    """Removes an alias and returns a message. Raises ConfigError if there is no such alias."""
    memory = hooks.runtime.memory
    known: list[Namespace | str] = [*memory.aliases.users, *memory.aliases.namespaces]
    for name in known:
        if _key(name) == key:
            names.drop_alias(memory, name)
            label = name if isinstance(name, str) else _labels(hooks, words)(name)
            return words("alias_dropped", alias=label)
    raise ConfigError("nobody has that name", key="name")


def _labels(hooks: Hooks, words: Words) -> Callable[[Namespace], str]:
    memory = hooks.runtime.memory
    spaces = [*memory.namespaces(), *memory.aliases.namespaces]
    return visible_namespaces.labels_among(spaces, words)


def _key(name: Namespace | str) -> str:
    return json.dumps(name) if isinstance(name, str) else visible_namespaces.namespace_key(name)
