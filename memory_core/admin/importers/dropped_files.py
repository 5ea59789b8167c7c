"""Sorts the files that a person drops on the tab: chats of other programs, backups, the rest.

Backups are not opened here. A zip that holds a folder of chats, or several files, is unpacked into
`scratch`.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from ...domain.errors import ImportFailed, UnknownFormat
from .base import MemoryOwner, import_error
from .formats import READERS, find_reader, is_backup
from .source import ImportFailure, ImportSource
from .zip_input import is_zip, unpack_zip

UNNAMED = "\ue000"
"""Stands for the character whom the files do not name, until the user chooses one."""

_MAX_FILES = 5_000


@dataclass(slots=True, kw_only=True)
class DroppedFiles:
    """The dropped files, sorted by their use; no reader knows those in `unknown`.

    `skipped` is the number of files in zips that no reader knows, by the name of the zip.
    """

    sources: list[ImportSource] = field(default_factory=list)
    backups: list[Path] = field(default_factory=list)
    refused: list[ImportFailure] = field(default_factory=list)
    unknown: list[Path] = field(default_factory=list)
    skipped: dict[str, int] = field(default_factory=dict)


def sort_dropped(paths: Sequence[Path], scratch: Path, *, user: str) -> DroppedFiles:
    """Finds a reader for each file; `scratch` is an existing folder for unpacked zips.

    `user` owns chats that name no user.
    """
    found = DroppedFiles()
    owner = MemoryOwner(user=user, character=UNNAMED)
    for number, path in enumerate(paths):
        try:
            _sort(path, scratch / str(number), owner, found)
        except UnknownFormat:
            found.unknown.append(path)
        except (ImportFailed, OSError) as exc:
            found.refused.append(ImportFailure(source=path, reason=str(exc)))
    return found


def for_characters(
    sources: Sequence[ImportSource], character: str, others: Mapping[str, str]
) -> list[ImportSource]:
    """Returns the sources with the owners of chats that name no character.

    `others` maps an origin to its character; the other sources belong to `character`.
    """
    return [
        replace(
            source,
            owner=replace(source.owner, character=others.get(source.origin) or character),
        )
        for source in sources
    ]


def _sort(path: Path, unpacked: Path, owner: MemoryOwner, found: DroppedFiles) -> None:
    """Adds what is in a file. Raises ImportFailed if it holds nothing that can be read."""
    if is_backup(path):
        found.backups.append(path)
        return
    whole = path
    if is_zip(path) and not READERS["chatgpt"].recognises(path):
        unpack_zip(path, unpacked)
        whole = _only_folder(unpacked)
    try:
        reader = find_reader(whole)
    except ImportFailed:
        if whole is path:
            raise
        _sort_folder(path, whole, owner, found)
    else:
        source = ImportSource(reader=reader, path=whole, owner=owner, origin=path.name)
        found.sources.append(source)


def _only_folder(folder: Path) -> Path:
    """Returns the folder below which the files lie: zips often hold one folder in another."""
    keeps_name = {"chat", "instruct", "logs"}  # a reader recognises the host's folders by these
    inside = list(folder.iterdir())
    while len(inside) == 1 and inside[0].is_dir() and inside[0].name not in keeps_name:
        folder = inside[0]
        inside = list(folder.iterdir())
    return folder


def _sort_folder(zipped: Path, folder: Path, owner: MemoryOwner, found: DroppedFiles) -> None:
    """Adds the files of a mixed folder. Raises ImportFailed if no reader knows any."""
    sources, backups, skipped = list[ImportSource](), list[Path](), 0
    paths = sorted(path for path in folder.rglob("*") if path.is_file())
    unread = _unread(zipped, len(paths))
    for path in paths[:_MAX_FILES]:
        if is_backup(path):
            backups.append(path)
            continue
        try:
            reader = find_reader(path)
        except ImportFailed:
            skipped += 1  # pictures and the like lie among the chats
            continue
        origin = f"{zipped.name}: {path.relative_to(folder).as_posix()}"
        sources.append(ImportSource(reader=reader, path=path, owner=owner, origin=origin))
    if not (sources or backups):
        raise unread or UnknownFormat(f"{folder} holds no file with a known format")
    found.sources += sources
    found.backups += backups
    if unread:
        found.refused.append(ImportFailure(source=zipped, reason=str(unread)))
    if skipped:
        found.skipped[zipped.name] = skipped


def _unread(zipped: Path, count: int) -> ImportFailed | None:
    """Returns an error that counts the files in the zip which are too many to be read, if any."""
    left = count - _MAX_FILES
    if left <= 0:
        return None
    what = f"holds {count:,} files, of which the last {left:,} by name were not read"
    return import_error(zipped, what, "Put those into another zip")
