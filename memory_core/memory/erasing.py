"""Erases memories of one namespace for good: forgotten ones, and those of an import taken back."""

from collections.abc import Callable, Collection
from contextlib import AbstractContextManager

from ..domain.namespaces import Namespace
from ..storage.log.projection import MemoryRecord
from .event_factory import erase_import_events
from .forgetting import all_derived_from, any_due, due_for_erasure, not_forgotten
from .namespace_memory import NamespaceMemory

OpenNamespace = Callable[[Namespace], AbstractContextManager[NamespaceMemory]]


def erase_forgotten(opened: NamespaceMemory, *, now: float, kept_s: float) -> int:
    """Erases memories forgotten `kept_s` seconds ago or earlier; returns how many.

    Raises StorageError.
    """
    if not any_due(opened.erasure.forgotten_time_range(), now=now, kept_s=kept_s):
        return 0
    with opened.erasure.lock:
        with opened.writing():
            forgotten = opened.query(lambda store: store.catalog.forgotten())
            going = due_for_erasure(forgotten, now=now, kept_s=kept_s)
            opened.erasure.erase_from_logs(going)
        opened.erasure.erase_from_index()
        opened.invalidate_caches()
        return len(going)


def awaits_erasure(open_namespace: OpenNamespace, namespace: Namespace) -> bool:
    """Returns whether words of forgotten or withdrawn memories are left. Raises StorageError."""
    with open_namespace(namespace) as opened:
        return bool(opened.erasure.forgotten_time_range())


def all_ids(opened: NamespaceMemory) -> frozenset[str]:
    """Returns the ids of all memories that these logs ever had. Raises StorageError."""
    log = opened.event_log
    return frozenset(line.id for name in log.logs() for line in log.read(name).events)


def erase_import(
    opened: NamespaceMemory, ids: Collection[str], *, now: float
) -> list[MemoryRecord]:
    """Erases these memories at once, without tombstone hashes: their texts may be stored again.

    Skips unknown memories and those forgotten before. Returns the others as they were.
    Raises StorageError.
    """
    with opened.erasure.lock:
        with opened.writing():
            known = {one.memory.id: one for one in all_derived_from(opened, ids)}
            going = not_forgotten((known | opened.records(ids)).values())
            opened.active_model.drop_similarity_baseline()
            opened.write_all(erase_import_events(going, now))
            opened.sync_index()
            opened.erasure.erase_from_logs(going)
        opened.erasure.erase_from_index()
        opened.invalidate_caches()
        return going
