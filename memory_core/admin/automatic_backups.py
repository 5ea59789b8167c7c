"""Makes the automatic backups of a running program, and reports their failures to the tab."""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from ..config.schema import Settings
from ..domain.errors import StorageError
from ..domain.namespaces import Namespace
from ..host.chat.host_protocol import Host
from ..memory.installation import HOST_BACKUPS, Installation
from ..memory.runtime import Runtime
from .backup.rolling import RollingBackup

_REPORT_PART = "automatic backup"


class AutomaticBackups:
    """Makes automatic backups when the background worker is idle. Safe for many threads."""

    def __init__(self, runtime: Runtime, host: Callable[[], Host]) -> None:
        self._runtime = runtime
        self._host = host
        self._lock = threading.Lock()
        self._backup: RollingBackup | None = None
        runtime.add_idle_duty(self.run_due)

    def run_due(self) -> None:
        """Makes and cleans copies that are due, unless the program is stopping.

        Memories in a database have none, because the database's own tools back it up.
        """
        if self._runtime.is_stopping() or not self._runtime.memory.shared.is_in_files:
            return
        with self._lock:
            problems = self._current().run_due(self._runtime.clock())
        if problems:
            self._runtime.report(_REPORT_PART, "; ".join(problems))
        else:
            self._runtime.clear(_REPORT_PART)

    def read_only_backup(self) -> RollingBackup:
        """Returns a view of the copies with the current settings."""
        settings = self._runtime.settings
        return RollingBackup(
            self._runtime.memory.root,
            copies_folder(self._runtime.installation, settings, self._host()),
            settings.rolling_backup,
        )

    def dismiss_offers(self) -> None:
        """Stops offering the copies that exist now. Raises StorageFailed."""
        with self._lock:
            self._current().dismiss_offers()

    @contextmanager
    def deleting_namespace(self, namespace: Namespace) -> Iterator[None]:
        """Removes a namespace from all copies if the block that deletes it succeeds.

        Reports failures, for instance a copy that is locked, and tries again later.
        """
        space = self._runtime.memory.resolve(namespace)
        self._run_and_report(lambda backup: backup.mark_deleted(space, self._runtime.clock()))
        try:
            yield
        except BaseException:
            self._run_and_report(lambda backup: backup.unmark_deleted(space))
            raise
        self.run_due()

    def _run_and_report(self, act: Callable[[RollingBackup], None]) -> None:
        try:
            with self._lock:
                act(self._current())
        except StorageError as exc:
            self._runtime.report(
                _REPORT_PART, f"deleted memories stay in the automatic backups: {exc}"
            )

    def _current(self) -> RollingBackup:
        fresh, old = self.read_only_backup(), self._backup
        if old is None or (fresh.root, fresh.folder, fresh.settings) != (
            old.root,
            old.folder,
            old.settings,
        ):
            self._backup = old = fresh
        return old


def copies_folder(home: Installation, settings: Settings, host: object = None) -> Path | None:
    """Returns the folder for copies; None outside of a host, unless the settings name one."""
    if wanted := settings.rolling_backup.folder:
        return home.folder / Path(wanted).expanduser()
    host_folder: Path | None = getattr(host, "backup_folder", lambda: None)()
    if host_folder is not None:
        return host_folder
    return home.host_data / HOST_BACKUPS if home.host_data else None


def back_up_before_update(home: Installation, host: object) -> list[str]:
    """Copies the storage before opening it updates its format; returns messages of failures."""
    settings, _ = home.settings()
    folder = copies_folder(home, settings, host)
    backup = RollingBackup(home.root(settings), folder, settings.rolling_backup)
    return backup.copy_before_update(time.time())


def dismiss_offers_after_restore(home: Installation, root: Path, path: Path) -> None:
    """Stops offering copies after the user restored the one at `path`. Raises StorageFailed.

    Does nothing if `path` is no automatic copy.
    """
    settings, _ = home.settings()
    folder = copies_folder(home, settings)
    if folder is not None and path.parent == folder:
        RollingBackup(root, folder, settings.rolling_backup).dismiss_offers()
