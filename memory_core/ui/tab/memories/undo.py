"""The undo of the last action, which stands as a button beside its outcome."""

from collections.abc import Callable
from dataclasses import dataclass

from ....domain.namespaces import Namespace
from ....memory.runtime import Runtime
from ....text.locales import Words


@dataclass(frozen=True, slots=True, kw_only=True)
class Undo:
    """Undoes one action in one namespace. `run` may raise UnknownMemory, StorageFailed.

    `ids` are the forgotten memories that it brings back.
    """

    namespace: Namespace
    run: Callable[[Runtime], object]
    ids: tuple[str, ...] = ()


def undo_last(undo: Undo | None, runtime: Runtime, namespace: Namespace, words: Words) -> str:
    """Undoes the last action of this namespace, and returns the outcome in words."""
    if undo is None or undo.namespace != namespace:
        return words["nothing_to_undo"]
    undo.run(runtime)
    runtime.schedule(namespace)
    return words["undone"]
