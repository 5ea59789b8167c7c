"""Reads foreign zips in place, without unpacking them, and refuses hostile ones."""

import lzma
import re
import stat
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from ...domain.errors import ImportFailed
from .base import RETRY_ADVICE, import_error
from .text_input import ByteReader, open_file

# JSON of chats packs about 5 to 20 times, DEFLATE at most about 1000 times.
MAX_COMPRESSION_RATIO = 200
MAX_MEMBER_BYTES = 4 * 2**30
MAX_MEMBERS = 200_000
_SMALL_BYTES = 2**20
_REPACK_ADVICE = "Pack the folder anew, or unpack it yourself and name the file in it"
_DAMAGED_ZIP_ERRORS = (
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
    except _DAMAGED_ZIP_ERRORS:
        return []


@contextmanager
def open_member(path: Path, name: str) -> Iterator[ByteReader]:
    """Opens one file of the zip as a stream. Raises ImportFailed for a damaged or hostile zip."""
    with _translate_zip_errors(path):
        archive = zipfile.ZipFile(path)
    with archive:
        if len(archive.infolist()) > MAX_MEMBERS:
            raise import_error(path, f"holds more than {MAX_MEMBERS} files", _REPACK_ADVICE)
        for info in archive.infolist():
            _refuse_hostile(path, info)
        with _translate_zip_errors(path):
            stream = archive.open(name)
        with stream:
            yield _LimitedReader(stream, f"{path}: {name}")


@contextmanager
def _translate_zip_errors(where: Path | str) -> Iterator[None]:
    try:
        yield
    except _DAMAGED_ZIP_ERRORS as exc:
        raise import_error(where, f"is a damaged zip ({exc})", RETRY_ADVICE) from exc


def _refuse_hostile(path: Path, info: zipfile.ZipInfo) -> None:
    shown = f"{path}: {info.filename!r}"
    parts = re.split(r"[/\\]", info.filename)
    if ".." in parts or not parts[0] or re.match(r"[A-Za-z]:", parts[0]):
        raise import_error(shown, "leads out of the zip", _REPACK_ADVICE)
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


class _LimitedReader:
    """Raises ImportFailed beyond MAX_MEMBER_BYTES, whatever size the zip's directory states."""

    def __init__(self, stream: ByteReader, where: str) -> None:
        self._stream = stream
        self._source = where
        self._bytes_left = MAX_MEMBER_BYTES

    def read(self, size: int, /) -> bytes:
        with _translate_zip_errors(self._source):
            data = self._stream.read(size)
        self._bytes_left -= len(data)
        if self._bytes_left < 0:
            raise import_error(
                self._source, f"is larger than {MAX_MEMBER_BYTES >> 30} GB", _REPACK_ADVICE
            )
        return data
