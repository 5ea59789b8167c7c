"""A backup of what is about to be deleted: it is read back first, and has to hold everything."""

from collections.abc import Mapping
from pathlib import Path

from ...domain.errors import ImportFailed, StorageFailed
from ...domain.namespaces import Namespace
from ...storage.log.event_log import EventLog
from ...storage.log.log_file import complete_lines
from .layout import NamespaceContents
from .reader import BackupFile
from .writer import write_dated_backup


def make_safety_backup(namespace: Namespace, root: Path, *, now: float) -> Path:
    """A backup with every line that the namespace has now; returns its path.

    Raises StorageFailed, and leaves no backup, where it would lack any.
    """
    path, missing = _write_and_verify(namespace, root, now)
    if missing:
        path.unlink(missing_ok=True)
        raise StorageFailed(f"{namespace.label}: {_advice(missing)}")
    return path


def make_readable_backup(namespace: Namespace, root: Path, *, now: float) -> Path:
    """A backup before something is added, which leaves the lines that cannot be read where they
    are: the backup may lack them. Raises StorageFailed.
    """
    return _write_and_verify(namespace, root, now)[0]


def _write_and_verify(namespace: Namespace, root: Path, now: float) -> tuple[Path, int]:
    """The new backup's path, and how many lines it lacks."""
    transcript = EventLog(namespace.folder(root))
    sizes = transcript.logs()
    path = write_dated_backup(namespace, root, root.parent / "backups", now=now)
    try:
        with BackupFile(path) as file:
            [contents] = file.contents
            missing = _count_missing_lines(transcript, sizes, contents)
            file.check(contents)
    except ImportFailed as exc:
        path.unlink(missing_ok=True)
        told = "a backup could not be restored from, so nothing was deleted"
        raise StorageFailed(f"{namespace.label}: {told}: {exc}") from exc
    return path, missing


def _count_missing_lines(
    transcript: EventLog, sizes: Mapping[str, int], contents: NamespaceContents
) -> int:
    """How many lines are not in the backup."""
    found = {log: contents.members.get(transcript.relative_path(log)) for log in sizes}
    lines = {log: _count_lines(transcript.path(log), size) for log, size in sizes.items()}
    return sum(
        max(0, lines[log] - (member.lines if member else 0)) for log, member in found.items()
    )


def _count_lines(path: Path, size: int) -> int:
    """Without those written since, nor one that its writer never finished."""
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
