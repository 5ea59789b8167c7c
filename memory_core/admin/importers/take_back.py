"""Takes back what an import brought, so that the same files can be imported again."""

from collections.abc import Mapping, Sequence

from ...domain.namespaces import Namespace
from ...memory.forgetting import Forgotten
from ...memory.runtime import Runtime


def take_back(runtime: Runtime, new_ids: Mapping[Namespace, Sequence[str]]) -> int:
    """Erases these memories at once, edits of them included; returns their number.

    Those that were forgotten meanwhile stay forgotten. Raises StorageError.
    """
    count = 0
    for namespace, ids in new_ids.items():
        space = runtime.memory.resolve(namespace)
        with runtime.memory.open_namespace(space) as archive:
            gone = archive.withdraw(ids, now=runtime.memory.now())
        count += len(gone)
        runtime.tell_forgotten(Forgotten.of(space, ids, gone))
    return count
