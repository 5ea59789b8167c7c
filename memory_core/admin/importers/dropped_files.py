"""Sorts the files that a person drops on the tab: chats of other programs, backups, the rest.

Backups are not opened here. A zip that holds a folder of chats, or several files, is unpacked into
`scratch`.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from ...domain.errors import ImportFailed, UnknownFormat
from ...domain.records import empty_mapping
from .base import MemoryOwner, import_error
from .formats import READERS, find_reader, is_backup
from .source import ImportFailure, ImportSource
from .zip_input import is_zip, unpack_zip

UNNAMED = "\ue000"
"""Stands for the character whom the files do not name, until the user chooses one."""

_MAX_FILES = 5_000


@dataclass(frozen=True, slots=True, kw_only=True)
class DroppedFiles:
    """The dropped files, sorted by their use; no reader knows those in `unknown`.

    `skipped` is the number of files in zips that no reader knows, by the name of the zip.
    """

    sources: tuple[ImportSource, ...] = ()
    backups: tuple[Path, ...] = ()
    refused: tuple[ImportFailure, ...] = ()
    unknown: tuple[Path, ...] = ()
    skipped: Mapping[str, int] = field(default_factory=empty_mapping)

    def joined(self, other: "DroppedFiles") -> "DroppedFiles":
        """Returns the files of both."""
        return DroppedFiles(
            sources=self.sources + other.sources,
            backups=self.backups + other.backups,
            refused=self.refused + other.refused,
            unknown=self.unknown + other.unknown,
            skipped={**self.skipped, **other.skipped},
        )


def sort_dropped(paths: Sequence[Path], scratch: Path, *, user: str) -> DroppedFiles:
    """Finds a reader for each file; `scratch` is an existing folder for unpacked zips.

    `user` owns chats that name no user.
    """
    found = DroppedFiles()
    owner = MemoryOwner(user=user, character=UNNAMED)
    for number, path in enumerate(paths):
        try:
            new = _sorted(path, scratch / str(number), owner)
        except UnknownFormat:
            new = DroppedFiles(unknown=(path,))
        except (ImportFailed, OSError) as exc:
            new = DroppedFiles(refused=(ImportFailure(source=path, reason=str(exc)),))
        found = found.joined(new)
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


def _sorted(path: Path, unpacked: Path, owner: MemoryOwner) -> DroppedFiles:
    """Sorts what is in a file. Raises ImportFailed if it holds nothing that can be read."""
    if is_backup(path):
        return DroppedFiles(backups=(path,))
    if not is_zip(path) or READERS["chatgpt"].recognises(path):
        reader = find_reader(path)
        return _one(ImportSource(reader=reader, path=path, owner=owner, origin=path.name))
    unpack_zip(path, unpacked)
    folder = _only_folder(unpacked)
    try:
        reader = find_reader(folder)
        return _one(ImportSource(reader=reader, path=folder, owner=owner, origin=path.name))
    except ImportFailed:
        return _files_in(path, folder, owner)


def _one(source: ImportSource) -> DroppedFiles:
    return DroppedFiles(sources=(source,))


def _only_folder(folder: Path) -> Path:
    """Returns the folder below which the files lie: zips often hold one folder in another."""
    keeps_name = {"chat", "instruct", "logs"}  # a reader recognises the host's folders by these
    inside = list(folder.iterdir())
    while len(inside) == 1 and inside[0].is_dir() and inside[0].name not in keeps_name:
        folder = inside[0]
        inside = list(folder.iterdir())
    return folder


def _files_in(zipped: Path, folder: Path, owner: MemoryOwner) -> DroppedFiles:
    """Sorts the files of a mixed folder. Raises ImportFailed if no reader knows any."""
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
    return DroppedFiles(
        sources=tuple(sources),
        backups=tuple(backups),
        refused=(ImportFailure(source=zipped, reason=str(unread)),) if unread else (),
        skipped={zipped.name: skipped} if skipped else {},
    )


def _unread(zipped: Path, count: int) -> ImportFailed | None:
    """Returns an error that counts the files in the zip which are too many to be read, if any."""
    left = count - _MAX_FILES
    if left <= 0:
        return None
    what = f"holds {count:,} files, of which the last {left:,} by name were not read"
    return import_error(zipped, what, "Put those into another zip")
