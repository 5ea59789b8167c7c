"""Contract for replacing whole namespaces at once: folders on disk, or rows of a database."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Protocol

from ..domain.namespaces import Namespace
from .aliases import Aliases


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
