"""Runs the rolling backup of the live memory in the deriver, and shows its failures in the tab."""

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
from .backup.copy_folder import CopyContents
from .backup.rolling import RollingBackup

_REPORT_PART = "rolling backup"


class RollingCopies:
    """Safe for many threads; what takes long is done in the deriver's."""

    def __init__(
        self, runtime: Runtime, host: Callable[[], Host], *, clock: Callable[[], float] = time.time
    ) -> None:
        self._runtime = runtime
        self._host = host
        self._clock = clock
        self._lock = threading.Lock()
        self._backup: RollingBackup | None = None
        runtime.add_idle_duty(self.run_due)

    def run_due(self) -> None:
        """Does what is due now, but begins nothing while the program ends."""
        if self._runtime.is_stopping():
            return
        with self._lock:
            problems = self._current().run_due(self._clock())
        if problems:
            self._runtime.report(_REPORT_PART, "; ".join(problems))
        else:
            self._runtime.clear(_REPORT_PART)

    def read_only_backup(self) -> RollingBackup:
        """To be asked about the copies, not to be changed by."""
        settings = self._runtime.settings
        return RollingBackup(
            self._runtime.memory.root,
            copies_folder(self._runtime.installation, settings, self._host()),
            settings.rolling_backup,
        )

    def find_offer(self) -> CopyContents | None:
        """The copy that is worth restoring. Raises StorageError."""
        return self.read_only_backup().find_offer()

    def dismiss_offers(self) -> None:
        """The copies that are there are no longer offered. Raises StorageFailed."""
        with self._lock:
            self._current().dismiss_offers()

    @contextmanager
    def deleting_namespace(self, namespace: Namespace) -> Iterator[None]:
        """What is destroyed inside is gone from all copies behind it; where that takes another
        program's leave it is told, and tried again.
        """
        space = self._runtime.memory.resolve(namespace)
        self._run_and_report(lambda backup: backup.mark_deleted(space, self._clock()))
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
                _REPORT_PART, f"what is destroyed stays in the rolling backups: {exc}"
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
    """Where copies are made; None outside of a host, unless a folder is set."""
    if wanted := settings.rolling_backup.folder:
        return home.folder / Path(wanted).expanduser()
    told: Path | None = getattr(host, "backup_folder", lambda: None)()
    if told is not None:
        return told
    return home.host_data / HOST_BACKUPS if home.host_data else None


def back_up_before_update(home: Installation, host: object) -> list[str]:
    """Before the storage is opened, where that updates its format; returns what failed."""
    settings, _ = home.settings()
    folder = copies_folder(home, settings, host)
    backup = RollingBackup(home.root(settings), folder, settings.rolling_backup)
    return backup.copy_before_update(time.time())


def dismiss_offers_after_restore(home: Installation, root: Path, path: Path) -> None:
    """The backup at `path` was restored by hand: where it is a copy, none is offered any more.

    Raises StorageFailed.
    """
    settings, _ = home.settings()
    folder = copies_folder(home, settings)
    if folder is not None and path.parent == folder:
        RollingBackup(root, folder, settings.rolling_backup).dismiss_offers()
