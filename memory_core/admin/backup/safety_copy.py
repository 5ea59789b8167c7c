"""Makes a backup before memories are deleted or changed, and reads it back to verify it."""

from collections.abc import Mapping
from pathlib import Path

from ...domain.errors import ImportFailed, StorageFailed
from ...domain.namespaces import Namespace
from ...infra import durable_files
from ...storage.log.event_log import EventLog
from ...storage.log.log_file import complete_lines
from .layout import NamespaceContents
from .reader import BackupFile
from .writer import write_dated_backup


def backup_folder(root: Path) -> Path:
    """Returns the folder of the backups that are made before changes of the storage `root`."""
    return root.parent / "backups"


def make_safety_backup(namespace: Namespace, root: Path, into: Path, *, now: float) -> Path:
    """Backs up every line of the namespace below `root` into a folder; returns the file's path.

    Raises StorageFailed and leaves no backup if a line would be missing.
    """
    path, missing = _write_and_verify(namespace, root, into, now)
    if missing:
        durable_files.unlink(path)
        raise StorageFailed(f"{namespace.label}: {_advice(missing)}")
    return path


def make_readable_backup(namespace: Namespace, root: Path, into: Path, *, now: float) -> Path:
    """Backs up every readable line of the namespace below `root`; returns the file's path.

    For additions, which leave unreadable lines in place. Raises StorageFailed.
    """
    return _write_and_verify(namespace, root, into, now)[0]


def _write_and_verify(namespace: Namespace, root: Path, into: Path, now: float) -> tuple[Path, int]:
    """Returns the new backup's path and the number of missing lines."""
    event_log = EventLog(namespace.folder(root))
    sizes = event_log.logs()
    path = write_dated_backup(namespace, root, into, now=now)
    try:
        with BackupFile(path) as file:
            [contents] = file.contents
            missing = _count_missing_lines(event_log, sizes, contents)
            file.check(contents)
    except ImportFailed as exc:
        durable_files.unlink(path)
        problem = "the new backup is damaged, so nothing was deleted"
        raise StorageFailed(f"{namespace.label}: {problem}: {exc}") from exc
    return path, missing


def _count_missing_lines(
    event_log: EventLog, sizes: Mapping[str, int], contents: NamespaceContents
) -> int:
    """Returns the number of the logs' lines that are not in the backup."""
    found = {log: contents.members.get(event_log.relative_path(log)) for log in sizes}
    lines = {log: _count_lines(event_log.path(log), size) for log, size in sizes.items()}
    return sum(
        max(0, lines[log] - (member.lines if member else 0)) for log, member in found.items()
    )


def _count_lines(path: Path, size: int) -> int:
    """Counts the complete lines in the first `size` bytes."""
    count = 0
    for line in complete_lines(path):
        size -= len(line)
        count += size >= 0
    return count


def _advice(missing: int) -> str:
    return (
        f"{missing:,} lines cannot be read and would be in no backup, so nothing was deleted: "
        "run `python -m memory_core doctor --repair` and try again; where a newer version wrote "
        "them, update the extension first"
    )
