"""Storage that all programs of one memory share beside its logs: small files, names, queues, swaps.

A swap replaces whole namespaces at once: folders on disk, or rows of a database.
"""

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Protocol

from ..domain.namespaces import Namespace
from ..infra.durable_files import is_folder
from . import job_store
from .aliases import Aliases
from .disk_usage import Measure, usage_of
from .folder_swap import begin_swap
from .job_queue import OpenJobs
from .log.event_log import last_written_at
from .manifest import list_namespaces, read_manifest, write_manifest
from .small_files import LOCAL_FILES, SmallFiles

IN_DATABASE = "the database of store.dsn"


class NamespaceSwap(Protocol):
    """Staging area of one swap. Until commit() or delete() the storage stays as it is.

    `folder` is on the disk that takes the new files. All methods may raise StorageFailed.
    """

    @property
    def folder(self) -> Path: ...

    def current_root(self, namespace: Namespace) -> Path:
        """Returns a storage folder with the namespace's files as they are now, only to be read."""
        ...

    def sizes(self, namespace: Namespace) -> Mapping[str, int]:
        """Returns log → size in bytes of the namespace as it is now; empty if it is missing."""
        ...

    def new_folder(self, namespace: Namespace) -> Path:
        """Returns the path at which to fill this namespace's new folder."""
        ...

    def scratch_folder(self, namespace: Namespace) -> Path:
        """Returns the path of a folder for other work; it is deleted at the end."""
        ...

    def set_aliases(self, aliases: Aliases) -> None:
        """Adds the aliases to the swap; they take effect together with the namespaces."""
        ...

    def commit(self, seen: Mapping[Namespace, Mapping[str, int]], keep: Sequence[str]) -> None:
        """Replaces these namespaces, all or none. `seen` holds each one's logs as they were read,
        with sizes; `keep` are parts that stay unless the new folder has them.

        Raises StorageLocked while another program writes one of them.
        """
        ...

    def delete(self, namespace: Namespace) -> None:
        """Deletes all of a namespace."""
        ...

    def delete_if_empty(self, namespace: Namespace) -> None:
        """Deletes a namespace whose logs are empty. Raises StorageLocked."""
        ...


BeginSwap = Callable[[], AbstractContextManager[NamespaceSwap]]


class KnownNamespaces(Protocol):
    """The namespaces that exist. All methods raise StorageFailed."""

    def all(self) -> list[Namespace]: ...

    def has(self, namespace: Namespace) -> bool: ...

    def existing(self, namespaces: Sequence[Namespace]) -> list[Namespace]:
        """Returns those of these namespaces that exist, in their order."""
        ...

    def last_written_at(self, namespace: Namespace) -> float:
        """Returns the time of the last write in seconds since the epoch; 0 for none."""
        ...

    def recently_written(self, limit: int) -> list[Namespace]:
        """Returns the namespaces written to last, the latest first."""
        ...

    def note_names(self, namespace: Namespace) -> None:
        """Stores the full names if they may not follow from the folder's own name.

        Raises StorageCorrupt, too.
        """
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class SharedStorage:
    """`has_jobs` returns whether open_jobs() would open a queue that exists already."""

    files: SmallFiles
    namespaces: KnownNamespaces
    open_jobs: OpenJobs
    has_jobs: Callable[[Path], bool]
    begin_swap: BeginSwap
    measure: Measure

    @property
    def is_in_files(self) -> bool:
        """False where the memories are in a database."""
        return self.files is LOCAL_FILES

    def place(self, root: Path) -> str:
        """Returns the location of the memories, for a message."""
        return str(root) if self.is_in_files else IN_DATABASE


class NamespaceFolders:
    """The namespaces whose folders exist below `root`."""

    def __init__(self, root: Path) -> None:
        self._root = root

    def all(self) -> list[Namespace]:
        return list_namespaces(self._root)

    def has(self, namespace: Namespace) -> bool:
        return is_folder(namespace.folder(self._root))

    def existing(self, namespaces: Sequence[Namespace]) -> list[Namespace]:
        return [one for one in namespaces if is_folder(one.folder(self._root))]

    def last_written_at(self, namespace: Namespace) -> float:
        return last_written_at(namespace.folder(self._root))

    def recently_written(self, limit: int) -> list[Namespace]:
        return sorted(self.all(), key=lambda one: -self.last_written_at(one))[:limit]

    def note_names(self, namespace: Namespace) -> None:
        folder = namespace.folder(self._root)
        if not read_manifest(folder):
            write_manifest(namespace, folder)


def local_storage(root: Path) -> SharedStorage:
    """Returns the storage that programs share in the folder `root`."""
    return SharedStorage(
        files=LOCAL_FILES,
        namespaces=NamespaceFolders(root),
        open_jobs=job_store.open_jobs,
        has_jobs=lambda folder: (folder / job_store.FILE).exists(),
        begin_swap=partial(begin_swap, root),
        measure=lambda namespace: usage_of(namespace.folder(root)),
    )
