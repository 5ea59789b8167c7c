"""Chunks of one size behind an index of them, in one file: zarr's sharding codec.

One file that is mapped whole is gathered from faster than many. Each chunk has its place, whether
it is there or not, https://zarr-specs.readthedocs.io/en/latest/v3/codecs/sharding-indexed/.
"""

import mmap
import os
from collections.abc import Sequence
from pathlib import Path
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from .. import durable

CHUNKS = 64
BEGIN = CHUNKS * 16
_MISSING = (1 << 64) - 1
_BINARY = getattr(os, "O_BINARY", 0)
BYTES = {"name": "bytes", "configuration": {"endian": "little"}}


def codec(chunk: list[int]) -> dict[str, Any]:
    """As zarr wants to be told of it, for chunks of this shape."""
    told = {"chunk_shape": chunk, "codecs": [BYTES], "index_codecs": [BYTES]}
    return {"name": "sharding_indexed", "configuration": {**told, "index_location": "start"}}


def put(path: Path, slot: int, data: bytes) -> None:
    """A chunk into its place; on return it is on the disk. Raises StorageFailed."""
    with durable.naming(path):
        if path.is_dir():  # whoever put it there
            durable.remove(path)
        fd = os.open(path, os.O_RDWR | os.O_CREAT | _BINARY, durable.FILE_MODE)
        with os.fdopen(fd, "r+b") as file:
            index = _index(file, len(data))
            is_new = bool((index == _MISSING).all())
            index[slot] = _place(slot, len(data))
            file.seek(int(index[slot, 0]))
            file.write(data)
            file.seek(0)
            file.write(index.tobytes())
            file.flush()
            durable.sync(file.fileno(), path=path)
        if is_new:
            durable.sync_folder(path.parent)


def cut(path: Path, slot: int, size: int) -> None:
    """Takes off what stands from this chunk's place on. Raises OSError."""
    begin, _ = _place(slot, size)
    if path.is_file() and path.stat().st_size > begin:
        with path.open("r+b") as file:
            file.truncate(begin)
            durable.sync(file.fileno(), path=path)


def blank(path: Path, slot: int, size: int) -> None:
    """Zeros in the place of this chunk, as far as the file reaches. Raises OSError."""
    begin, _ = _place(slot, size)
    if path.is_file():
        length = min(size, path.stat().st_size - begin)
        with path.open("r+b") as file:
            file.seek(begin)
            file.write(bytes(max(0, length)))
            file.flush()
            durable.sync(file.fileno(), path=path)


def present(path: Path, size: int) -> NDArray[np.bool_]:
    """Which of the chunks, of `size` bytes each, are there and where they should be."""
    try:
        with path.open("rb") as file:
            return np.asarray((_index(file, size) != _MISSING).all(axis=1))
    except OSError:
        return np.zeros(CHUNKS, dtype=bool)


def read(path: Path, offsets: Sequence[int], size: int) -> NDArray[np.uint8]:
    """What stands at these bytes behind the index, shape (n, size); zeros where nothing does."""
    found = np.zeros((len(offsets), size), dtype=np.uint8)
    try:
        with path.open("rb", buffering=0) as file:
            for row, offset in zip(found, offsets, strict=True):
                file.seek(BEGIN + offset)
                file.readinto(row.data)
    except OSError:
        pass
    return found


def mapped(path: Path, size: int) -> NDArray[np.uint8]:
    """All chunks that the file has room for, shape (n, size); none where there is no file."""
    try:
        with path.open("rb") as file:
            count = max(0, os.fstat(file.fileno()).st_size - BEGIN) // size
            if count:
                shape = (min(count, CHUNKS), size)
                whole = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
                _read_no_more_than_is_asked(whole)
                return np.ndarray(shape, np.uint8, whole, BEGIN)
    except OSError:
        pass
    return np.empty((0, size), dtype=np.uint8)


def _read_no_more_than_is_asked(whole: mmap.mmap) -> None:
    """Else the system reads 128 KB around each row: for a thousand cold rows 128 MB."""
    if hasattr(mmap, "MADV_RANDOM"):
        whole.madvise(mmap.MADV_RANDOM)


def _index(file: IO[bytes], size: int) -> NDArray[np.uint64]:
    """Offset and size of each chunk; of what is not whole in its place both are _MISSING."""
    length = os.fstat(file.fileno()).st_size
    read = np.frombuffer(file.read(BEGIN).ljust(BEGIN, b"\xff"), dtype="<u8").reshape(CHUNKS, 2)
    wanted = np.array([_place(it, size) for it in range(CHUNKS)], dtype="<u8")
    is_there = (read == wanted).all(axis=1) & (wanted.sum(axis=1) <= length)
    return np.where(is_there[:, None], wanted, np.uint64(_MISSING)).astype("<u8")


def _place(slot: int, size: int) -> tuple[int, int]:
    return BEGIN + slot * size, size
