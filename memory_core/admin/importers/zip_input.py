"""Zips that others packed: read in place, never unpacked, and not at all if one looks hostile."""

import lzma
import re
import stat
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from ...domain.errors import ImportFailed
from .base import AGAIN, refused
from .text_input import Readable, opened

# JSON of chats packs about 5 to 20 times, DEFLATE at most about 1000 times.
MOST_RATIO = 200
LARGEST_MEMBER = 4 * 2**30
MOST_MEMBERS = 200_000
_SMALL = 2**20
_HARMLESS = "Pack the folder anew, or unpack it yourself and name the file in it"
_DAMAGED = (
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
    """Whether it begins as a zip does, be it whole or not."""
    try:
        with opened(path) as stream:
            return stream.read(4) == b"PK\x03\x04"
    except ImportFailed:
        return False


def members(path: Path, wanted: re.Pattern[str]) -> list[str]:
    """The names of those whose own name fits, sorted; empty for a zip that cannot be read."""
    try:
        with zipfile.ZipFile(path) as archive:
            return sorted(it for it in archive.namelist() if wanted.fullmatch(it.split("/")[-1]))
    except _DAMAGED:
        return []


@contextmanager
def member(path: Path, name: str) -> Iterator[Readable]:
    """One file of the zip as a stream. ImportFailed for a damaged or hostile zip."""
    with _sound(path):
        archive = zipfile.ZipFile(path)
    with archive:
        if len(archive.infolist()) > MOST_MEMBERS:
            raise refused(path, f"holds more than {MOST_MEMBERS} files", _HARMLESS)
        for info in archive.infolist():
            _check(path, info)
        with _sound(path):
            stream = archive.open(name)
        with stream:
            yield _Counted(stream, f"{path}: {name}")


@contextmanager
def _sound(where: Path | str) -> Iterator[None]:
    try:
        yield
    except _DAMAGED as exc:
        raise refused(where, f"is a damaged zip ({exc})", AGAIN) from exc


def _check(path: Path, info: zipfile.ZipInfo) -> None:
    shown = f"{path}: {info.filename!r}"
    parts = re.split(r"[/\\]", info.filename)
    if ".." in parts or not parts[0] or re.match(r"[A-Za-z]:", parts[0]):
        raise refused(shown, "leads out of the zip", _HARMLESS)
    if stat.S_ISLNK(info.external_attr >> 16):
        raise refused(shown, "is a link", _HARMLESS)
    if info.flag_bits & 1:
        raise refused(shown, "is encrypted", "Unpack it yourself and name the file in it")
    if info.file_size > LARGEST_MEMBER:
        raise refused(shown, f"is larger than {LARGEST_MEMBER >> 30} GB", _HARMLESS)
    if info.file_size > max(_SMALL, MOST_RATIO * info.compress_size):
        raise refused(shown, f"would unpack to more than {MOST_RATIO} times its size", _HARMLESS)


class _Counted:
    """Reads on only as far as any member may be long, whatever the zip's directory says."""

    def __init__(self, stream: Readable, where: str) -> None:
        self._stream = stream
        self._where = where
        self._left = LARGEST_MEMBER

    def read(self, size: int, /) -> bytes:
        with _sound(self._where):
            data = self._stream.read(size)
        self._left -= len(data)
        if self._left < 0:
            raise refused(self._where, f"is larger than {LARGEST_MEMBER >> 30} GB", _HARMLESS)
        return data
