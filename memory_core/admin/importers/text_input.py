"""Files as letters and lines: what is no plain file or no Unicode is refused, a line has an end.

UTF-8 is taken for granted; UTF-16 and UTF-32 are known by their byte order mark. Nothing else is
guessed: a wrong guess would be remembered as mojibake.
"""

import codecs
import os
import stat
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, Protocol

from ...domain.errors import ImportFailed
from .base import AGAIN, refused

LONGEST_LINE = 16 * 2**20
_CHUNK = 2**20
_BEGINNING = 64 * 2**10
_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)


class Readable(Protocol):
    def read(self, size: int, /) -> bytes: ...


@contextmanager
def opened(path: Path) -> Iterator[BinaryIO]:
    """An ordinary file with something in it, open to be read; ImportFailed for all else."""
    with reading(path):
        _check(path)
        stream = path.open("rb")
    with stream:
        yield stream


@contextmanager
def reading(path: Path | str) -> Iterator[None]:
    """What the system refuses to read is an ImportFailed that names the path."""
    try:
        yield
    except OSError as exc:
        what = f"cannot be read ({exc.strerror or exc})"
        raise refused(path, what, "Check the path and who may read it") from exc
    except ValueError as exc:
        raise refused(path, f"is no path ({exc})", "Check the path") from exc


def _check(path: Path) -> None:
    found = path.stat()
    if stat.S_ISDIR(found.st_mode):
        raise refused(path, "is a folder, not a file", "Name a file in it")
    if not stat.S_ISREG(found.st_mode):
        raise refused(path, "is no ordinary file", "Copy what it holds into a file")
    if not found.st_size:
        raise refused(path, "is empty", AGAIN)


def letters(path: Path, *, at_once: int = _CHUNK) -> Iterator[str]:
    """The file's text in pieces of so many bytes."""
    with opened(path) as stream:
        yield from decoded(stream, path, at_once=at_once)


def decoded(stream: Readable, where: Path | str, *, at_once: int = _CHUNK) -> Iterator[str]:
    """A stream's text in pieces. ImportFailed tells the first byte that is no text."""
    chunk = _read(stream, where, at_once)
    codec, done = _encoding(chunk, where)
    chunk = chunk[done:]
    decoder = codecs.getincrementaldecoder(codec)()
    while True:
        base = done - len(decoder.getstate()[0])
        try:
            text = decoder.decode(chunk, final=not chunk)
        except UnicodeDecodeError as exc:
            raise _undecodable(where, codec, base + exc.start) from exc
        done += len(chunk)
        if text:
            yield text
        if not chunk:
            return
        chunk = _read(stream, where, at_once)


def _read(stream: Readable, where: Path | str, size: int) -> bytes:
    with reading(where):
        return stream.read(size)


def _encoding(start: bytes, where: Path | str) -> tuple[str, int]:
    """The codec, and how many bytes its mark takes."""
    for mark, codec in _MARKS:
        if start.startswith(mark):
            return codec, len(mark)
    if b"\0" in start[:4]:
        raise refused(where, "is no UTF-8 text (byte 0 … 3 hold a NUL)", "Save it as UTF-8")
    return "utf-8", 0


def _undecodable(where: Path | str, codec: str, at: int) -> ImportFailed:
    what = f"byte {at} is not {codec.upper()}: it is written in another encoding, or damaged"
    return refused(where, what, "Save it as UTF-8 and try again")


def lines(pieces: Iterable[str], where: Path | str) -> Iterator[tuple[int, str]]:
    r"""(number, line) for all that \n ends, which itself is left out."""
    number, rest = 0, ""
    for piece in pieces:
        *whole, rest = (rest + piece).split("\n")
        for line in whole:
            number += 1
            yield number, line
        if len(rest) > LONGEST_LINE:
            what = f"line {number + 1} is longer than {LONGEST_LINE >> 20} million letters"
            raise refused(where, what, "It is not a chat's; take it out and try again")
    if rest:
        yield number + 1, rest


def beginning(path: Path) -> str:
    """The first letters of a file, to see what it is; empty for what cannot be read."""
    try:
        return next(letters(path, at_once=_BEGINNING), "")
    except ImportFailed:
        return ""


def files(folder: Path, endings: tuple[str, ...]) -> Iterator[Path]:
    """All ordinary files below a folder that end so, in a fixed order; links lead nowhere."""
    for root, folders, names in os.walk(folder):
        folders.sort()
        found = (Path(root, name) for name in sorted(names) if name.lower().endswith(endings))
        yield from (path for path in found if path.is_file() and not path.is_symlink())
