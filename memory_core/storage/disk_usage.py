"""Measures the space that memories take on disk, by the sizes of files; opens no file."""

import os
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from pathlib import Path

from ..domain.namespaces import Namespace
from ..domain.records import empty_mapping

BACKUPS = "backups"
_LOGS = ("conversations", "notes.jsonl")
_INDEX = "index"
_JOURNAL = "journal"  # SQLite's journal grows and vanishes by itself
CATALOG, WORDS, VECTORS = "catalogue", "words", "vectors"
PARTS = {
    "*-wal": _JOURNAL,
    "*-shm": _JOURNAL,
    "catalogue.sqlite": CATALOG,
    "*.postings": WORDS,
    "vectors-*": VECTORS,
    "*": "rest",
}
_UNITS = ("B", "KB", "MB", "GB", "TB")
_STEP = 1024.0
_BACKUP = re.compile(r"(.+)-\d{8}-\d{6}(?:-\d+)?\.zip")  # backup/writing.py


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """Bytes of one namespace: the logs, the index by part, all other files, and the backups.

    Backups are in another folder and do not count towards `total`.
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
        """Total without the journal, which comes and goes while the index is written."""
        return self.total - self.index.get(_JOURNAL, 0)


Measure = Callable[[Namespace], Usage]


@dataclass(frozen=True, slots=True, kw_only=True)
class Storage:
    """Bytes of all namespaces; `other_backups` are of namespaces that no longer exist."""

    namespaces: Mapping[Namespace, Usage]
    other_backups: int = 0

    @property
    def total(self) -> Usage:
        """Sum over all namespaces and the other backups."""
        usages = self.namespaces.values()
        index: Counter[str] = Counter()
        for usage in usages:
            index.update(usage.index)
        return Usage(
            logs=sum(usage.logs for usage in usages),
            index=dict(index),
            other=sum(usage.other for usage in usages),
            backups=sum(usage.backups for usage in usages) + self.other_backups,
        )


def usage_of(folder: Path) -> Usage:
    """Returns the usage of the namespace in this folder, without backups.

    Files that vanish meanwhile count 0.
    """
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
    return Usage(logs=logs, index=dict(index), other=other)


def usage(root: Path, namespaces: Iterable[Namespace], measure: Measure) -> Storage:
    """Returns the usage of these namespaces, the largest first. Raises StorageFailed."""
    backups = _backups_by_folder(root)
    found = {
        namespace: replace(measure(namespace), backups=backups.pop(_folder_name(namespace), 0))
        for namespace in namespaces
    }
    largest_first = sorted(found.items(), key=lambda pair: -pair[1].total)
    return Storage(namespaces=dict(largest_first), other_backups=sum(backups.values()))


def backups_of(namespace: Namespace, root: Path) -> int:
    """Returns the bytes of a namespace's automatic backups, beside the storage folder `root`."""
    return _backups_by_folder(root).get(_folder_name(namespace), 0)


def format_size(count: float) -> str:
    """Returns the bytes with a unit that keeps the number short, such as "1.5 MB"."""
    unit = 0
    while count >= _STEP and unit < len(_UNITS) - 1:
        count, unit = count / _STEP, unit + 1
    return f"{count:.1f} {_UNITS[unit]}" if unit else f"{count:.0f} B"


def _backups_by_folder(root: Path) -> dict[str, int]:
    """Returns the bytes of automatic backups by `<user>~<character>`, deleted ones' included."""
    found: Counter[str] = Counter()
    for entry in _entries(root.parent / BACKUPS):
        match = _BACKUP.fullmatch(entry.name)
        found[match[1] if match else ""] += _size(entry)
    return dict(found)


def _folder_name(namespace: Namespace) -> str:
    return "~".join(namespace.folder(Path()).parts)


def _part(name: str) -> str:
    return next(part for pattern, part in PARTS.items() if fnmatchcase(name, pattern))


def _entries(folder: "Path | os.DirEntry[str]") -> Iterator["os.DirEntry[str]"]:
    try:
        with os.scandir(folder) as found:
            yield from found
    except OSError:  # deleted, or not there yet
        return


def _size(entry: "os.DirEntry[str]") -> int:
    """Returns the size of the file, or of all files below the folder; follows no links."""
    try:
        if entry.is_dir(follow_symlinks=False):
            return sum(map(_size, _entries(entry)))
        return entry.stat(follow_symlinks=False).st_size
    except OSError:
        return 0
