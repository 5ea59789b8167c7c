"""File format of postings: a header, then the arrays, mapped instead of read.

A file is written once, under a unique name, and put in place whole. Raises StorageCorrupt for a
file of another version or of another size than its header says.
"""

import json
import os
import secrets
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, fields
from pathlib import Path
from typing import IO, Any

import numpy as np

from ....domain.errors import StorageCorrupt
from ....infra import durable_files
from ....infra.mapped_file import MappedFile
from .postings import (
    COLUMNS,
    DTYPES,
    Array,
    Columns,
    Postings,
    ReadAhead,
    by_vectors,
    dictionary,
)
from .segment_merge import MergedPostings, PostingBlock

VERSION = 4
SUFFIX = ".postings"
_MAGIC = "long-term-memory postings"
_HEADER = 4096
_ALIGNED = 64
_RUNS = ("at", "user", "assistant")
_BLOCK = 256  # memories whose columns are requested together
# Searches jump about in these, and read little of the rest.
_SEARCHED = ("lengths", "peaks", "starts", "ends", "letters", "keys", "order", "vectors")


@dataclass(frozen=True, slots=True)
class _Section:
    """Offset of an array, its number of values, and the CRC-32 of its bytes."""

    offset: int
    count: int
    crc: int

    def bytes(self, name: str) -> int:
        return self.count * np.dtype(DTYPES[name]).itemsize


def write(folder: Path, merged: MergedPostings) -> str:
    """Returns the name of the new file, which is on the disk by then. Raises StorageFailed."""
    path = folder / f"{secrets.token_hex(8)}{SUFFIX}"
    with (
        durable_files.temporary_file(folder, suffix=SUFFIX) as temporary,
        durable_files.naming_errors(path),
    ):
        with temporary.open("wb") as file:
            _Writer(file).write(merged)
            file.flush()
            durable_files.sync(file.fileno(), path=path)
        os.replace(temporary, path)
    durable_files.sync_folder(folder)
    return path.name


class _Writer:
    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        self._sections: dict[str, _Section] = {}
        self._end = _HEADER

    def write(self, merged: MergedPostings) -> None:
        for name in COLUMNS:
            self._append(name, getattr(merged.columns, name))
        for name in _RUNS:
            self._reserve(name, merged.count)
        terms: list[bytes] = []
        sizes: list[int] = []
        peaks: list[Array] = []
        done = 0
        for piece in merged.blocks:
            done = self._write_runs(piece, done)
            terms += piece.terms
            sizes += piece.sizes.tolist()
            peaks.append(piece.peaks)
        self._append("peaks", np.concatenate(peaks) if peaks else np.empty(0))
        found = dictionary(terms, sizes) | by_vectors(merged.columns)
        for name, values in found.items():
            self._append(name, values)
        self._write_header(merged.mean)

    def _reserve(self, name: str, count: int) -> None:
        section = _Section(self._end, count, 0)
        self._sections[name] = section
        self._end += -(-section.bytes(name) // _ALIGNED) * _ALIGNED

    def _append(self, name: str, values: Array) -> None:
        self._reserve(name, len(values))
        self._put(name, 0, values)

    def _put(self, name: str, first: int, values: Array) -> None:
        section, data = self._sections[name], values.astype(DTYPES[name]).tobytes()
        self._file.seek(section.offset + first * np.dtype(DTYPES[name]).itemsize)
        self._file.write(data)
        crc = zlib.crc32(data, section.crc)
        self._sections[name] = _Section(section.offset, section.count, crc)

    def _write_runs(self, piece: PostingBlock, done: int) -> int:
        for name in _RUNS:
            self._put(name, done, getattr(piece, name))
        return done + len(piece.at)

    def _write_header(self, mean: float) -> None:
        self._file.truncate(self._end)
        header = {
            "is": _MAGIC,
            "version": VERSION,
            "mean": mean,
            "size": self._end,
            "sections": {
                name: [section.offset, section.count, section.crc]
                for name, section in self._sections.items()
            },
        }
        text = json.dumps(header).encode()
        line = text + b" %08x\n" % zlib.crc32(text)
        self._file.seek(0)
        self._file.write(line.ljust(_HEADER, b" "))


class FileReadAhead(ReadAhead):
    """Requests the parts of one file that a search is about to read; `arrays` are all of it.

    Without that, a search of a file that the system has not cached waits for one page at a time.
    Each part is requested once, and what was requested before must cost next to nothing.
    """

    def __init__(self, file: MappedFile, arrays: Mapping[str, Array]) -> None:
        self._file = file
        self._at, self._vectors_at = arrays["at"], arrays["vectors_at"]
        self._counts = [arrays["user"], arrays["assistant"]]
        self._columns = [arrays[name] for name in COLUMNS]
        # What was requested before: runs by their beginning, columns by block.
        self._runs: set[int] = set()
        self._count_runs: set[int] = set()
        self._size = len(self._columns[0])
        self._blocks = np.zeros(-(-self._size // _BLOCK), dtype=np.bool_)
        self._has_all_blocks = False

    def request_run(self, first: int, last: int) -> None:
        if first not in self._runs:
            self._runs.add(first)
            self._file.request(self._at[first:last])

    def request_counts(self, first: int, last: int) -> None:
        if first not in self._count_runs:
            self._count_runs.add(first)
            self._file.request(*(counts[first:last] for counts in self._counts))

    def request_counts_at(self, which: Array) -> None:
        for counts in self._counts:
            self._file.request_items(counts, which)

    def request_columns(self, positions: Array) -> None:
        if self._has_all_blocks:
            return
        blocks = positions // _BLOCK
        missing = blocks[~self._blocks[blocks]].astype(np.int64)
        if len(missing):
            self._blocks[missing] = True
            self._has_all_blocks = bool(self._blocks.all())
            firsts = missing * _BLOCK
            ends = np.concatenate((firsts, np.minimum(firsts + _BLOCK, self._size) - 1))
            for column in self._columns:
                self._file.request_items(column, ends)

    def request_vector_positions(self, which: Array) -> None:
        self._file.request_items(self._vectors_at, which)


def read(path: Path) -> Postings:
    """Maps a file. Raises StorageCorrupt, also where there is none."""
    with _translate_read_errors(path):
        file = MappedFile(path)
        header = _header(file.bytes[:_HEADER].tobytes())
        if len(file.bytes) != header["size"]:
            raise ValueError("its size is not what its header says")
        arrays = {name: _array(file.bytes, name, section) for name, section in _sections(header)}
        read_ahead = FileReadAhead(file, arrays)
        file.request(*(arrays[name] for name in _SEARCHED))
        columns = Columns(**{column.name: arrays.pop(column.name) for column in fields(Columns)})
        mean = float(header["mean"])
        return Postings(columns=columns, mean=mean, read_ahead=read_ahead, **arrays)


def check(path: Path) -> None:
    """Reads a whole file. Raises StorageCorrupt where any byte differs from those written."""
    with _translate_read_errors(path), path.open("rb") as file:
        for name, section in _sections(_header(file.read(_HEADER))):
            file.seek(section.offset)
            if zlib.crc32(file.read(section.bytes(name))) != section.crc:
                raise ValueError(f"{name} is damaged")


def _header(line: bytes) -> dict[str, Any]:
    text, _, crc = line.rstrip().rpartition(b" ")
    if int(crc, 16) != zlib.crc32(text):
        raise ValueError("its header is damaged")
    header: dict[str, Any] = json.loads(text)
    if (header["is"], header["version"]) != (_MAGIC, VERSION):
        raise ValueError("it is of another version")
    return header


def _sections(header: dict[str, Any]) -> list[tuple[str, _Section]]:
    return [(name, _Section(*header["sections"][name])) for name in DTYPES]


def _array(data: Array, name: str, section: _Section) -> Array:
    if not section.count:
        return np.empty(0, dtype=DTYPES[name])
    return np.frombuffer(data, DTYPES[name], count=section.count, offset=section.offset)


@contextmanager
def _translate_read_errors(path: Path) -> Iterator[None]:
    try:
        yield
    except (OSError, ValueError, KeyError, TypeError) as exc:
        raise StorageCorrupt(f"{path}: {exc}") from exc
