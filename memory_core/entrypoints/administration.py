"""What a running program does with its memories as a whole, beside the chat: one for its hooks."""

from pathlib import Path

from ..importing.job import ImportJob
from ..namespaces import Namespace
from . import renaming
from .hooks import Hooks
from .rolling_copies import RollingCopies


class Administration:
    """Holds what lasts longer than a page: the rolling backup and the import under way."""

    def __init__(self, hooks: Hooks) -> None:
        self.hooks = hooks
        self.copies = RollingCopies(hooks.runtime, lambda: hooks.host)
        self.import_job = ImportJob()

    def destroy(self, namespace: Namespace) -> Path:
        """Deletes all memories of one character after a backup, whose path it returns; what the
        rolling backups hold of them goes too. Raises StorageFailed.
        """
        with self.copies.losing(namespace):
            return renaming.destroy(self.hooks, namespace)
