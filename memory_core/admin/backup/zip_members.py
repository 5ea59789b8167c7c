"""Writes the members of a backup's zip file, also in place of an older one."""

import hashlib
import zipfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from ...storage.aliases import ALIASES, Aliases, encode_aliases
from ...storage.manifest import MANIFEST
from .atomic_output import atomic_file
from .layout import LogMember, NamespaceContents, build_manifest
from .reader import BackupFile

_FIRST_DAY = (1980, 1, 1, 0, 0, 0)  # of the zip format; the manifest has the real time
_MODE = 0o100600 << 16


@contextmanager
def rewritten(path: Path) -> Iterator[tuple[BackupFile, zipfile.ZipFile]]:
    """Yields a backup, and a new archive with its aliases that replaces it after the block.

    Raises ImportFailed, StorageFailed.
    """
    with (
        atomic_file(path) as out,
        BackupFile(path) as file,  # this one is closed first
        zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive,
    ):
        if file.aliases != Aliases():
            add_aliases(archive, file.aliases)
        yield file, archive


def add_aliases(archive: zipfile.ZipFile, aliases: Aliases) -> None:
    add_member(archive, ALIASES, [encode_aliases(aliases)])


def add_manifest(archive: zipfile.ZipFile, contents: NamespaceContents, *, now: float) -> None:
    add_member(archive, contents.prefix + MANIFEST, [build_manifest(contents, now=now)])


def add_member(archive: zipfile.ZipFile, name: str, lines: Iterable[bytes]) -> LogMember:
    info = zipfile.ZipInfo(name, _FIRST_DAY)
    info.compress_type, info.external_attr = zipfile.ZIP_DEFLATED, _MODE
    digest, size, count = hashlib.sha256(), 0, 0
    with archive.open(info, "w", force_zip64=True) as member:
        for line in lines:
            member.write(line)
            digest.update(line)
            size += len(line)
            count += 1
    return LogMember(sha256=digest.hexdigest(), size=size, lines=count)
