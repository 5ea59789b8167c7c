"""Sorts the files that a person drops on the tab: chats of other programs, backups, the rest.

Backups are not opened here. A zip that holds a folder of chats is unpacked into `scratch`.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from ...domain.errors import ImportFailed, UnknownFormat
from .base import MemoryOwner, Reader
from .formats import all_readers, find_reader
from .own_backups import is_backup
from .source import ImportFailure, ImportSource
from .zip_input import is_zip, unpack_zip

UNNAMED = "\ue000"
"""Stands for the character whom the files do not name, until the user chooses one."""

_MAX_FILES = 5_000


@dataclass(frozen=True, slots=True, kw_only=True)
class DroppedFiles:
    """The dropped files, sorted by their use; no reader knows those in `unknown`."""

    sources: tuple[ImportSource, ...] = ()
    backups: tuple[Path, ...] = ()
    refused: tuple[ImportFailure, ...] = ()
    unknown: tuple[Path, ...] = ()


def sort_dropped(
    paths: Sequence[Path], scratch: Path, *, user: str, executes_commands: bool
) -> DroppedFiles:
    """Finds a reader for each file; `scratch` is an existing folder for unpacked zips.

    `user` owns chats that name no user. With `executes_commands` an import executes the commands in
    the host's own chats.
    """
    found = DroppedFiles()
    owner = MemoryOwner(user=user, character=UNNAMED)
    for number, path in enumerate(paths):
        if is_backup(path):
            found = replace(found, backups=(*found.backups, path))
            continue
        try:
            new = tuple(_sources(path, scratch / str(number), owner, executes_commands))
            found = replace(found, sources=found.sources + new)
        except UnknownFormat:
            found = replace(found, unknown=(*found.unknown, path))
        except (ImportFailed, OSError) as exc:
            failure = ImportFailure(source=path, reason=str(exc))
            found = replace(found, refused=(*found.refused, failure))
    return found


def for_character(sources: Sequence[ImportSource], character: str) -> list[ImportSource]:
    """Returns the sources with this character as the owner of chats that name none."""
    return [replace(source, owner=replace(source.owner, character=character)) for source in sources]


def _sources(
    path: Path, unpacked: Path, owner: MemoryOwner, executes_commands: bool
) -> Iterator[ImportSource]:
    """Yields the sources in a file. Raises ImportFailed if it holds nothing that can be read."""
    if not is_zip(path) or all_readers()["chatgpt"].recognises(path):
        yield _source(path, find_reader(path, executes_commands=executes_commands), owner)
        return
    unpack_zip(path, unpacked)
    folder = _only_folder(unpacked)
    try:
        yield _source(folder, find_reader(folder, executes_commands=executes_commands), owner)
    except ImportFailed:
        yield from _readable_files(folder, owner, executes_commands)


def _source(path: Path, reader: Reader, owner: MemoryOwner) -> ImportSource:
    return ImportSource(reader=reader, path=path, owner=owner)


def _only_folder(folder: Path) -> Path:
    """Returns the folder below which the files lie: zips often hold one folder in another."""
    keeps_name = {"chat", "instruct", "logs"}  # a reader recognises the host's folders by these
    inside = list(folder.iterdir())
    while len(inside) == 1 and inside[0].is_dir() and inside[0].name not in keeps_name:
        folder = inside[0]
        inside = list(folder.iterdir())
    return folder


def _readable_files(
    folder: Path, owner: MemoryOwner, executes_commands: bool
) -> Iterator[ImportSource]:
    """Yields the files of a mixed folder that some reader knows. Raises UnknownFormat."""
    paths = sorted(path for path in folder.rglob("*") if path.is_file())[:_MAX_FILES]
    found = list(_known_files(paths, owner, executes_commands))
    if not found:
        raise UnknownFormat(f"{folder} holds no file with a known format")
    yield from found


def _known_files(
    paths: Sequence[Path], owner: MemoryOwner, executes_commands: bool
) -> Iterator[ImportSource]:
    for path in paths:
        try:
            yield _source(path, find_reader(path, executes_commands=executes_commands), owner)
        except ImportFailed:
            continue  # pictures and the like lie among the chats
