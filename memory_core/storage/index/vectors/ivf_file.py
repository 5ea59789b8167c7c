"""A segment's file: a line of JSON that tells what it is, then the bytes that are mapped.

After the line, filled up to one page: the vector ids in their order (int64); for each of these its
row, counted from the segment's first (int32); its slot in the inverted lists (int32, -1: in none);
FAISS's own bytes. A file that is cut, foreign or of another version is known by its line, a
damaged one by its sum: the 64-bit words, each times an odd number of its own, so that erasing can
change a few of them without reading the others.
"""

import json
import os
import zlib
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from ....infra import durable_files

VERSION = 1
PAGE = 4096
_WORDS = 4096
_MASK = (1 << 64) - 1
_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
Words = NDArray[np.uint64]


@dataclass(frozen=True, slots=True, kw_only=True)
class Header:
    """`first`, `count`: the rows it is about; `width`: the bytes of a code. `held`: how many rows
    have an id; `listed`: how many stood in the lists when it was built; `erased`: how many do no
    more; `gone`: how many ids went. `lists`: how many lists there are; `faiss_at`, `lists_at`:
    where in the payload FAISS's bytes and the contents of the lists begin. `nprobe`, `spare`,
    `recall`: calibration.py.
    """

    model: str
    first: int
    count: int
    held: int
    listed: int
    lists: int
    faiss_at: int
    lists_at: int
    size: int
    width: int
    sum: int = 0
    erased: int = 0
    gone: int = 0
    nprobe: int = 1
    spare: int = 0
    recall: float = 0.0

    @property
    def end(self) -> int:
        return self.first + self.count


def pack(header: Header) -> bytes:
    fields = {"v": VERSION, **asdict(header)}
    return _line({**fields, "crc": zlib.crc32(_line(fields))}).ljust(PAGE - 1) + b"\n"


def unpack(data: bytes) -> Header:
    """Raises ValueError, KeyError or TypeError for what is no header of this version."""
    fields: dict[str, Any] = json.loads(data)
    crc = fields.pop("crc")
    if fields["v"] != VERSION or crc != zlib.crc32(_line(fields)):
        raise ValueError("no header of this version")
    del fields["v"]
    return Header(**fields)


def read_header(path: Path) -> Header:
    """Raises what unpack does, and OSError."""
    with path.open("rb") as file:
        header = unpack(file.read(PAGE))
        if os.fstat(file.fileno()).st_size != PAGE + header.size:
            raise ValueError("not whole")
    return header


def sum_of(payload: NDArray[np.uint8]) -> int:
    """Of a payload whose size is a multiple of 8."""
    words: Words = payload.view("<u8")
    own, total = _odd(np.arange(_WORDS)), 0
    blocks = _odd(np.arange(-(-len(words) // _WORDS))).tolist()
    for block, times in enumerate(blocks):
        part = words[block * _WORDS : (block + 1) * _WORDS]
        total += int((part * own[: len(part)]).sum()) * times
    return total & _MASK


def write_header(file: BinaryIO, header: Header) -> None:
    file.seek(0)
    file.write(pack(header))
    file.flush()
    durable_files.sync(file.fileno())


def patch(path: Path, header: Header, changes: dict[int, bytes]) -> Header:
    """Writes bytes at these places of the payload; returns the header that goes with them.

    A crash between leaves a sum that does not fit: the segment is made anew.
    """
    total = header.sum
    with durable_files.naming_errors(path), path.open("r+b") as file:
        for offset, data in changes.items():
            total += _put(file, offset, data)
        file.flush()
        durable_files.sync(file.fileno(), path=path)
        after = replace(header, sum=total & _MASK)
        write_header(file, after)
    return after


def _put(file: BinaryIO, offset: int, data: bytes) -> int:
    """Returns by how much the sum changes."""
    start, end = offset - offset % 8, -(-(offset + len(data)) // 8) * 8
    file.seek(PAGE + start)
    old = file.read(end - start)
    new = old[: offset - start] + data + old[offset - start + len(data) :]
    file.seek(PAGE + start)
    file.write(new)
    numbers = np.arange(start // 8, end // 8)
    change: Words = np.frombuffer(new, "<u8") - np.frombuffer(old, "<u8")
    return int((change * _odd(numbers % _WORDS) * _odd(numbers // _WORDS)).sum())


def _odd(numbers: NDArray[Any]) -> Words:
    mixed = (numbers.astype(np.uint64) + np.uint64(1)) * _GOLDEN
    return np.asarray((mixed ^ (mixed >> np.uint64(31))) | np.uint64(1), dtype=np.uint64)


def _line(fields: dict[str, Any]) -> bytes:
    return json.dumps(fields, sort_keys=True).encode()
