"""Reads foreign zips in place, without unpacking them, and refuses hostile ones."""

import lzma
import re
import shutil
import stat
import zipfile
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from ...domain.errors import ImportFailed
from .base import RETRY_ADVICE, import_error
from .text_input import open_file, translate_read_errors

# JSON of chats packs about 5 to 20 times, DEFLATE at most about 1000 times.
MAX_COMPRESSION_RATIO = 200
MAX_MEMBER_BYTES = 4 * 2**30
MAX_MEMBERS = 200_000
_DEEPEST = 100
_SMALL_BYTES = 2**20
_MIN_FREE_BYTES = 64 * 2**20
_REPACK_ADVICE = "Pack the folder anew, or unpack it yourself and name the file in it"
DAMAGED_ZIP_ERRORS = (
    zipfile.BadZipFile,
    zlib.error,
    lzma.LZMAError,
    EOFError,
    NotImplementedError,
    RuntimeError,
    OSError,
    ValueError,
    KeyError,
)


def is_zip(path: Path) -> bool:
    """Returns True if the file starts like a zip, even an incomplete one."""
    try:
        with open_file(path) as stream:
            return stream.read(4) == b"PK\x03\x04"
    except ImportFailed:
        return False


def list_members(path: Path, wanted: re.Pattern[str]) -> list[str]:
    """Returns the sorted members whose file name matches; none for an unreadable zip."""
    try:
        with zipfile.ZipFile(path) as archive:
            return sorted(
                name for name in archive.namelist() if wanted.fullmatch(name.split("/")[-1])
            )
    except DAMAGED_ZIP_ERRORS:
        return []


@contextmanager
def open_member(path: Path, name: str) -> Iterator[IO[bytes]]:
    """Opens one file of the zip as a stream. Raises ImportFailed for a damaged or hostile zip."""
    with _harmless_archive(path) as archive, _member(archive, path, name) as stream:
        yield stream


@contextmanager
def _harmless_archive(path: Path) -> Iterator[zipfile.ZipFile]:
    with _translate_zip_errors(path):
        archive = zipfile.ZipFile(path)
    with archive:
        if len(archive.infolist()) > MAX_MEMBERS:
            raise import_error(path, f"holds more than {MAX_MEMBERS} files", _REPACK_ADVICE)
        for info in archive.infolist():
            _refuse_hostile(path, info)
        yield archive


@contextmanager
def _member(archive: zipfile.ZipFile, path: Path, name: str) -> Iterator[IO[bytes]]:
    """Opens a file, of which zipfile reads no more than the size that was checked."""
    with _translate_zip_errors(f"{path}: {name}"), archive.open(name) as stream:
        yield stream


def unpack_zip(path: Path, folder: Path) -> None:
    """Unpacks a zip into a new folder that only this user may read.

    Raises ImportFailed for a damaged or hostile zip, and if the disk has no room for it.
    """
    folder.mkdir(mode=0o700)
    with _harmless_archive(path) as archive:
        infos = [info for info in archive.infolist() if not info.is_dir()]
        _refuse_without_room(path, infos, folder)
        for info in infos:
            with _member(archive, path, info.filename) as stream:
                _copy(stream, folder.joinpath(*re.split(r"[/\\]", info.filename)))


def _refuse_without_room(path: Path, infos: Sequence[zipfile.ZipInfo], folder: Path) -> None:
    size, free = sum(info.file_size for info in infos), shutil.disk_usage(folder).free
    if size + _MIN_FREE_BYTES > free:
        what = f"would unpack to {size >> 20} MB, but only {free >> 20} MB of disk space are free"
        raise import_error(path, what, "Make room on the disk")


def _copy(stream: IO[bytes], target: Path) -> None:
    with translate_read_errors(target):
        target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with target.open("xb") as file:
            shutil.copyfileobj(stream, file)


@contextmanager
def _translate_zip_errors(where: Path | str) -> Iterator[None]:
    try:
        yield
    except DAMAGED_ZIP_ERRORS as exc:
        raise import_error(where, f"is a damaged zip ({exc})", RETRY_ADVICE) from exc


def _refuse_hostile(path: Path, info: zipfile.ZipInfo) -> None:
    shown = f"{path}: {info.filename!r}"
    parts = re.split(r"[/\\]", info.filename)
    if ".." in parts or not parts[0] or re.match(r"[A-Za-z]:", parts[0]):
        raise import_error(shown, "leads out of the zip", _REPACK_ADVICE)
    if len(parts) > _DEEPEST:
        raise import_error(shown, f"lies more than {_DEEPEST} folders deep", _REPACK_ADVICE)
    if stat.S_ISLNK(info.external_attr >> 16):
        raise import_error(shown, "is a link", _REPACK_ADVICE)
    if info.flag_bits & 1:
        raise import_error(shown, "is encrypted", "Unpack it yourself and name the file in it")
    if info.file_size > MAX_MEMBER_BYTES:
        raise import_error(shown, f"is larger than {MAX_MEMBER_BYTES >> 30} GB", _REPACK_ADVICE)
    if info.file_size > max(_SMALL_BYTES, MAX_COMPRESSION_RATIO * info.compress_size):
        raise import_error(
            shown,
            f"would unpack to more than {MAX_COMPRESSION_RATIO} times its size",
            _REPACK_ADVICE,
        )
