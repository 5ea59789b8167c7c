"""Runs the rolling backup of the live memory in the deriver, and shows its failures in the tab."""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from ..backup.copies import CopyContents
from ..backup.rolling import RollingBackup
from ..errors import StorageError
from ..home import HOST_BACKUPS, Home
from ..namespaces import Namespace
from ..runtime import Runtime
from ..settings import Settings
from .host import Host

_PART = "rolling backup"


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
        runtime.when_idle(self.look)

    def look(self) -> None:
        """Does what is due now, but begins nothing while the program ends."""
        if self._runtime.is_stopping():
            return
        with self._lock:
            problems = self._current().look(self._clock())
        if problems:
            self._runtime.report(_PART, "; ".join(problems))
        else:
            self._runtime.clear(_PART)

    def backup(self) -> RollingBackup:
        """To be asked about the copies, not to be changed by."""
        settings = self._runtime.settings
        return RollingBackup(
            self._runtime.memory.root,
            copies_folder(self._runtime.home, settings, self._host()),
            settings.rolling_backup,
        )

    def offer(self) -> CopyContents | None:
        """The copy that is worth restoring. Raises StorageError."""
        return self.backup().offer()

    def decide(self) -> None:
        """The copies that are there are no longer offered. Raises StorageFailed."""
        with self._lock:
            self._current().decide()

    @contextmanager
    def losing(self, namespace: Namespace) -> Iterator[None]:
        """What is destroyed inside is gone from all copies behind it; where that takes another
        program's leave it is told, and tried again.
        """
        space = self._runtime.memory.resolve(namespace)
        self._try(lambda backup: backup.will_destroy(space, self._clock()))
        try:
            yield
        except BaseException:
            self._try(lambda backup: backup.was_not_destroyed(space))
            raise
        self.look()

    def _try(self, act: Callable[[RollingBackup], None]) -> None:
        try:
            with self._lock:
                act(self._current())
        except StorageError as exc:
            self._runtime.report(_PART, f"what is destroyed stays in the rolling backups: {exc}")

    def _current(self) -> RollingBackup:
        fresh, old = self.backup(), self._backup
        if old is None or (fresh.root, fresh.folder, fresh.settings) != (
            old.root,
            old.folder,
            old.settings,
        ):
            self._backup = old = fresh
        return old


def copies_folder(home: Home, settings: Settings, host: object = None) -> Path | None:
    """Where copies are made; None outside of a host, unless a folder is set."""
    if wanted := settings.rolling_backup.folder:
        return home.folder / Path(wanted).expanduser()
    told: Path | None = getattr(host, "backup_folder", lambda: None)()
    if told is not None:
        return told
    return home.host_data / HOST_BACKUPS if home.host_data else None


def back_up_before_update(home: Home, host: object) -> list[str]:
    """Before the storage is opened, where that updates its format; returns what failed."""
    settings, _ = home.settings()
    folder = copies_folder(home, settings, host)
    backup = RollingBackup(home.root(settings), folder, settings.rolling_backup)
    return backup.before_update(time.time())


def decide_about(home: Home, root: Path, path: Path) -> None:
    """The backup at `path` was restored by hand: where it is a copy, none is offered any more.

    Raises StorageFailed.
    """
    settings, _ = home.settings()
    folder = copies_folder(home, settings)
    if folder is not None and path.parent == folder:
        RollingBackup(root, folder, settings.rolling_backup).decide()
