"""Reads regular files as Unicode text and lines of limited length.

Expects UTF-8, or UTF-16 and UTF-32 with a byte order mark. Guesses no other encoding: a wrong guess
would be remembered as mojibake.
"""

import codecs
import os
import stat
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, BinaryIO

from ...domain.errors import ImportFailed
from .base import RETRY_ADVICE, import_error

MAX_LINE_CHARS = 16 * 2**20
_CHUNK_BYTES = 2**20
_BEGINNING_BYTES = 64 * 2**10
_BYTE_ORDER_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)


@contextmanager
def open_file(path: Path) -> Iterator[BinaryIO]:
    """Opens a regular, non-empty file for reading. Raises ImportFailed for anything else."""
    with translate_read_errors(path):
        _refuse_unreadable(path)
        stream = path.open("rb")
    with stream:
        yield stream


@contextmanager
def translate_read_errors(path: Path | str) -> Iterator[None]:
    """Turns the system's errors into ImportFailed with the path."""
    try:
        yield
    except OSError as exc:
        what = f"cannot be read ({exc.strerror or exc})"
        raise import_error(path, what, "Check the path and who may read it") from exc
    except ValueError as exc:
        raise import_error(path, f"is not a valid path ({exc})", "Check the path") from exc


def _refuse_unreadable(path: Path) -> None:
    found = path.stat()
    if stat.S_ISDIR(found.st_mode):
        raise import_error(path, "is a folder, not a file", "Name a file in it")
    if not stat.S_ISREG(found.st_mode):
        raise import_error(path, "is not a regular file", "Copy its content into a file")
    if not found.st_size:
        raise import_error(path, "is empty", RETRY_ADVICE)


def read_text(path: Path, *, at_once: int = _CHUNK_BYTES) -> Iterator[str]:
    """Yields the file's text in pieces of `at_once` bytes. Raises ImportFailed."""
    with open_file(path) as stream:
        yield from decode_text(stream, path, at_once=at_once)


def decode_text(
    stream: IO[bytes], where: Path | str, *, at_once: int = _CHUNK_BYTES
) -> Iterator[str]:
    """Yields a stream's text in pieces. Raises ImportFailed with the first invalid byte."""
    chunk = _read_bytes(stream, where, at_once)
    codec, done = _detect_encoding(chunk, where)
    chunk = chunk[done:]
    decoder = codecs.getincrementaldecoder(codec)()
    while True:
        base = done - len(decoder.getstate()[0])
        try:
            text = decoder.decode(chunk, final=not chunk)
        except UnicodeDecodeError as exc:
            found = f"byte {base + exc.start} is not {codec.upper()}"
            what = f"{found}: the file has another encoding, or is damaged"
            raise import_error(where, what, "Save it as UTF-8 and try again") from exc
        done += len(chunk)
        if text:
            yield text
        if not chunk:
            return
        chunk = _read_bytes(stream, where, at_once)


def _read_bytes(stream: IO[bytes], where: Path | str, size: int) -> bytes:
    with translate_read_errors(where):
        return stream.read(size)


def _detect_encoding(start: bytes, where: Path | str) -> tuple[str, int]:
    """Returns the codec and the length of its byte order mark."""
    for mark, codec in _BYTE_ORDER_MARKS:
        if start.startswith(mark):
            return codec, len(mark)
    if b"\0" in start[:4]:
        raise import_error(where, "is not UTF-8 text (bytes 0 to 3 hold a NUL)", "Save it as UTF-8")
    return "utf-8", 0


def split_lines(pieces: Iterable[str], where: Path | str) -> Iterator[tuple[int, str]]:
    r"""Yields (number, line) without the ending \n. Raises ImportFailed for endless lines."""
    number, rest = 0, ""
    for piece in pieces:
        *whole, rest = (rest + piece).split("\n")
        for line in whole:
            number += 1
            yield number, line
        if len(rest) > MAX_LINE_CHARS:
            what = f"line {number + 1} is longer than {MAX_LINE_CHARS >> 20} million letters"
            raise import_error(where, what, "It is not a chat's; take it out and try again")
    if rest:
        yield number + 1, rest


def read_beginning(path: Path) -> str:
    """Returns the start of a file, to recognise its format; empty if it cannot be read."""
    try:
        return next(read_text(path, at_once=_BEGINNING_BYTES), "")
    except ImportFailed:
        return ""


def find_files(folder: Path, endings: tuple[str, ...]) -> Iterator[Path]:
    """Yields the regular files below a folder with these endings, in a fixed order, no links."""
    for root, folders, names in os.walk(folder):
        folders.sort()
        found = (Path(root, name) for name in sorted(names) if name.lower().endswith(endings))
        yield from (path for path in found if path.is_file() and not path.is_symlink())
