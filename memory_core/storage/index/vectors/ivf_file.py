"""File format of a segment: a line of JSON as header, then the bytes that are mapped.

After the header, padded to one page, follow: the ascending vector ids (int64); the row of each,
counted from the segment's first (int32); its slot in the inverted lists (int32, -1: none); FAISS's
own bytes. The header shows files that are cut, foreign or of another version. The checksum shows
damage. It sums the 64-bit words, each times its own odd number, so that erasing can update it
without reading the other words.
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
    """`first`, `count`: the rows covered; `width`: bytes of a code. `held`: number of rows with an
    id; `listed`: number in the lists when built; `erased`: number no longer in them; `gone`: number
    of ids erased. `lists`: number of lists; `faiss_at`, `lists_at`: offsets of FAISS's bytes and of
    the lists' contents in the payload. `nprobe`, `spare`, `recall`: see ivf_build.py.
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
    """Returns the header. Raises ValueError, KeyError or TypeError for bytes of another form."""
    fields: dict[str, Any] = json.loads(data)
    crc = fields.pop("crc")
    if fields["v"] != VERSION or crc != zlib.crc32(_line(fields)):
        raise ValueError("no header of this version")
    del fields["v"]
    return Header(**fields)


def read_header(path: Path) -> Header:
    """Returns the header of a segment file. Raises OSError, and the errors of unpack()."""
    with path.open("rb") as file:
        header = unpack(file.read(PAGE))
        if os.fstat(file.fileno()).st_size != PAGE + header.size:
            raise ValueError("not whole")
    return header


def sum_of(payload: NDArray[np.uint8]) -> int:
    """Returns the checksum of a payload whose size is a multiple of 8."""
    words: Words = payload.view("<u8")
    own, total = _odd_factors(np.arange(_WORDS)), 0
    blocks = _odd_factors(np.arange(-(-len(words) // _WORDS))).tolist()
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
    """Writes bytes at these offsets of the payload; returns the updated header.

    After a crash in between the checksum does not match, and the segment is rebuilt.
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
    """Writes the bytes; returns the change of the checksum."""
    start, end = offset - offset % 8, -(-(offset + len(data)) // 8) * 8
    file.seek(PAGE + start)
    old = file.read(end - start)
    new = old[: offset - start] + data + old[offset - start + len(data) :]
    file.seek(PAGE + start)
    file.write(new)
    numbers = np.arange(start // 8, end // 8)
    change: Words = np.frombuffer(new, "<u8") - np.frombuffer(old, "<u8")
    return int((change * _odd_factors(numbers % _WORDS) * _odd_factors(numbers // _WORDS)).sum())


def _odd_factors(numbers: NDArray[Any]) -> Words:
    mixed = (numbers.astype(np.uint64) + np.uint64(1)) * _GOLDEN
    return np.asarray((mixed ^ (mixed >> np.uint64(31))) | np.uint64(1), dtype=np.uint64)


def _line(fields: dict[str, Any]) -> bytes:
    return json.dumps(fields, sort_keys=True).encode()
