"""How much room memories take on disk: read from the folders alone, nothing is opened."""

import os
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from pathlib import Path

from ..domain.namespaces import Namespace
from ..domain.records import empty_mapping
from .manifest import list_namespaces

BACKUPS = "backups"
_LOGS = ("conversations", "notes.jsonl")
_INDEX = "index"
_JOURNAL = "journal"  # SQLite's: it grows and vanishes by itself
VECTORS = "vectors"
PARTS = {
    "*-wal": _JOURNAL,
    "*-shm": _JOURNAL,
    "catalogue.sqlite": "catalogue",
    "*.postings": "words",
    "vectors-*": VECTORS,
    "*": "rest",
}
_UNITS = ("B", "KB", "MB", "GB", "TB")
_STEP = 1024.0
_BACKUP = re.compile(r"(.+)-\d{8}-\d{6}(?:-\d+)?\.zip")  # backup/writing.py


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """Bytes of one namespace: the truth, what is derived from it by part, all else, and its
    backups, which lie elsewhere and do not count into `total`.
    """

    logs: int = 0
    index: Mapping[str, int] = field(default_factory=empty_mapping)
    other: int = 0
    backups: int = 0

    @property
    def derived(self) -> int:
        return sum(self.index.values())

    @property
    def total(self) -> int:
        return self.logs + self.derived + self.other

    @property
    def steady_total(self) -> int:
        """Without what comes and goes while the index is written."""
        return self.total - self.index.get(_JOURNAL, 0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Storage:
    """`other_backups` are those of who has no memories any more."""

    namespaces: Mapping[Namespace, Usage]
    other_backups: int = 0

    @property
    def total(self) -> Usage:
        """All of them together."""
        index: Counter[str] = Counter()
        for it in self.namespaces.values():
            index.update(it.index)
        return Usage(
            logs=sum(it.logs for it in self.namespaces.values()),
            index=dict(index),
            other=sum(it.other for it in self.namespaces.values()),
            backups=sum(it.backups for it in self.namespaces.values()) + self.other_backups,
        )


def usage_of(folder: Path, *, backups: int = 0) -> Usage:
    """Of the namespace in this folder; what vanishes meanwhile counts as nothing."""
    logs = other = 0
    index: Counter[str] = Counter()
    for entry in _entries(folder):
        if entry.name == _INDEX:
            for part in _entries(entry):
                index[_part(part.name)] += _size(part)
        elif entry.name in _LOGS:
            logs += _size(entry)
        else:
            other += _size(entry)
    return Usage(logs=logs, index=dict(index), other=other, backups=backups)


def usage(root: Path) -> Storage:
    """Of all namespaces, the largest first."""
    backups = _backups_by_folder(root)
    found = {
        space: usage_of(space.folder(root), backups=backups.pop(_folder_name(space), 0))
        for space in list_namespaces(root)
    }
    largest_first = sorted(found.items(), key=lambda pair: -pair[1].total)
    return Storage(namespaces=dict(largest_first), other_backups=sum(backups.values()))


def backups_of(namespace: Namespace, root: Path) -> int:
    return _backups_by_folder(root).get(_folder_name(namespace), 0)


def format_size(count: float) -> str:
    """Bytes with a unit that keeps the number short."""
    unit = 0
    while count >= _STEP and unit < len(_UNITS) - 1:
        count, unit = count / _STEP, unit + 1
    return f"{count:.1f} {_UNITS[unit]}" if unit else f"{count:.0f} B"


def _backups_by_folder(root: Path) -> dict[str, int]:
    """Bytes of the backups made on their own, by `<user>~<character>`; also of who is gone."""
    found: Counter[str] = Counter()
    for entry in _entries(root.parent / BACKUPS):
        named = _BACKUP.fullmatch(entry.name)
        found[named[1] if named else ""] += _size(entry)
    return dict(found)


def _folder_name(namespace: Namespace) -> str:
    return "~".join(namespace.folder(Path()).parts)


def _part(name: str) -> str:
    return next(part for pattern, part in PARTS.items() if fnmatchcase(name, pattern))


def _entries(folder: "Path | os.DirEntry[str]") -> Iterator["os.DirEntry[str]"]:
    try:
        with os.scandir(folder) as found:
            yield from found
    except OSError:  # gone, or not there yet
        return


def _size(entry: "os.DirEntry[str]") -> int:
    """Of the file, or of all below the folder; links are not followed."""
    try:
        if entry.is_dir(follow_symlinks=False):
            return sum(map(_size, _entries(entry)))
        return entry.stat(follow_symlinks=False).st_size
    except OSError:
        return 0
