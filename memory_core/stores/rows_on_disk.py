"""The vectors of record: a zarr group of whole, uncompressed chunks, read where they lie.

The group is written here byte by byte, so that a chunk is synced before it counts and nobody waits
for zarr to be imported: two arrays, `vectors` (rows x dim, float16) and `ids` (int64, 0: no row),
https://zarr-specs.readthedocs.io/en/latest/v3/core/index.html. Each counts as long as the shorter.
"""

import json
import os
import shutil
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .. import durable

Ids = NDArray[np.int64]
Halves = NDArray[np.float16]

_MOST_MAPPED, _FEW_MAPPED = 512, 64  # the other chunks are opened for what is read of them
_BINARY = getattr(os, "O_BINARY", 0)
_FIXED = ("data_type", "chunk_grid", "chunk_key_encoding", "codecs")
UNREADABLE = (OSError, LookupError, ValueError, TypeError, AttributeError)


class Rows:
    """Raises one of UNREADABLE where what lies there is not `mark`'s."""

    def __init__(self, path: Path, *, mark: str, dim: int, chunk: int) -> None:
        self._path = path
        self._dim = dim
        self._chunk = chunk
        self._chunks = str(path / "vectors" / "c")
        self._maps: dict[int, Halves] = {}
        if _read(path)["attributes"]["model"] != mark:
            raise ValueError("vectors of another model")
        self._shapes = {name: _read(path / name) for name in ("vectors", "ids")}
        forms = ((form, self._form(name, 0)) for name, form in self._shapes.items())
        if any(form[part] != ours[part] for form, ours in forms for part in _FIXED):
            raise ValueError("vectors of another form")
        self._count = min(map(self._length, self._shapes))

    @classmethod
    def begun(cls, path: Path, *, mark: str, dim: int, chunk: int) -> "Rows":
        """An empty group in place of whatever lies there."""
        shutil.rmtree(path, ignore_errors=True)
        form = {"attributes": {"model": mark}, "zarr_format": 3, "node_type": "group"}
        for name, length in (("vectors", dim), ("ids", 0)):
            durable.make_folder(path / name)
            shape = [0, dim] if length else [0]
            _write(path / name, _array(name, shape, [chunk, *shape[1:]]))
        _write(path, form)
        return cls(path, mark=mark, dim=dim, chunk=chunk)

    def __len__(self) -> int:
        return self._count

    def ids(self, chunk: int) -> Ids:
        """Of one chunk; all 0 where its file is lost."""
        data = _whole(self._file("ids", chunk), self._chunk * 8)
        return np.frombuffer(data, dtype="<i8").astype(np.int64)

    def block(self, chunk: int) -> Halves:
        """The rows of one chunk, shape (chunk, dim), not to be written to; zeros if it is lost."""
        if chunk in self._maps:
            return self._maps[chunk]
        path, shape = self._file("vectors", chunk), (self._chunk, self._dim)
        if not self._is_whole(chunk):
            return np.zeros(shape, dtype=np.float16)
        mapped: Halves = np.asarray(np.memmap(path, dtype="<f2", mode="r", shape=shape))
        if len(self._maps) < _most_mapped():
            self._maps[chunk] = mapped
        return mapped

    def gather(self, rows: Ids) -> Halves:
        """These rows, shape (n, dim); zeros for those that are lost."""
        found = np.zeros((len(rows), self._dim), dtype=np.float16)
        for chunk, at in _by_chunk(rows, self._chunk):
            found[at] = self._some(chunk, rows[at] - chunk * self._chunk)
        return found

    def _some(self, chunk: int, rows: Ids) -> Halves:
        has_room = len(self._maps) < _most_mapped() and chunk < self._count // self._chunk
        if chunk in self._maps or has_room:
            return self.block(chunk)[rows]
        size = self._dim * 2
        data = _pieces(f"{self._chunks}{os.sep}{chunk}{os.sep}0", (rows * size).tolist(), size)
        return np.frombuffer(data, dtype="<f2").reshape(len(rows), self._dim)

    def append(self, ids: Ids, rows: Halves) -> None:
        """One whole chunk; on return it is on the disk."""
        at = self._count // self._chunk
        self._maps.pop(at, None)
        for name, data in (("vectors", rows.astype("<f2")), ("ids", ids.astype("<i8"))):
            path = self._file(name, at)
            durable.make_folder(path.parent)
            durable.replace(path, data.tobytes())
        for name in ("ids", "vectors"):
            self._shapes[name] = self._form(name, self._count + self._chunk)
            _write(self._path / name, self._shapes[name])
        self._count += self._chunk

    def wipe(self, rows: Ids) -> None:
        """Zeros in their place; a chunk of nothing else goes."""
        for chunk, at in _by_chunk(rows, self._chunk):
            inside = rows[at] - chunk * self._chunk
            _zero(self._file("vectors", chunk), inside, self._dim * 2)
            _zero(self._file("ids", chunk), inside, 8)
            if not self.ids(chunk).any():
                self._maps.pop(chunk, None)
                self._file("vectors", chunk).unlink(missing_ok=True)

    def lost(self) -> list[int]:
        """The chunks whose rows cannot be read."""
        return [it for it in range(self._count // self._chunk) if not self._is_whole(it)]

    def close(self) -> None:
        self._maps.clear()

    def _is_whole(self, chunk: int) -> bool:
        try:
            return self._file("vectors", chunk).stat().st_size == self._chunk * self._dim * 2
        except OSError:
            return False

    def _length(self, name: str) -> int:
        length = int(self._shapes[name]["shape"][0])
        return length - length % self._chunk

    def _form(self, name: str, length: int) -> dict[str, Any]:
        wide = [self._dim] if name == "vectors" else []
        return _array(name, [length, *wide], [self._chunk, *wide])

    def _file(self, name: str, chunk: int) -> Path:
        return self._path / name / "c" / (f"{chunk}/0" if name == "vectors" else str(chunk))


def mark_in(path: Path) -> str:
    """Of whatever model the vectors there are; raises what Rows does."""
    return str(_read(path)["attributes"]["model"])


@cache
def _most_mapped() -> int:
    """Each map holds a file handle; many systems give a process 1024 of them."""
    try:
        import resource
    except ImportError:  # Windows
        return _FEW_MAPPED
    handles = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    return _MOST_MAPPED if handles < 0 or handles >= 8 * _MOST_MAPPED else _FEW_MAPPED


def are_unit(rows: NDArray[Any]) -> NDArray[np.bool_]:
    with np.errstate(invalid="ignore", over="ignore"):  # a damaged row may hold anything
        wide = rows.astype(np.float32, copy=False)
        lengths = np.sqrt(np.einsum("ij,ij->i", wide, wide))
    return np.asarray(np.abs(lengths - 1.0) < 0.05)


def _by_chunk(rows: Ids, size: int) -> Iterator[tuple[int, Ids]]:
    """Each chunk, with the places in `rows` of those that lie in it."""
    chunks = rows // size
    order = np.argsort(chunks, kind="stable")
    starts = np.flatnonzero(np.diff(chunks[order], prepend=-1))
    for at in np.split(order, starts[1:]) if len(rows) else []:
        yield int(chunks[at[0]]), at


def _pieces(path: str, offsets: list[int], size: int) -> bytes:
    """Zeros where the file ends before."""
    try:
        fd = os.open(path, os.O_RDONLY | _BINARY)
    except OSError:
        return bytes(size * len(offsets))
    try:
        return b"".join(_piece(fd, it, size) for it in offsets)
    finally:
        os.close(fd)


def _piece(fd: int, offset: int, size: int) -> bytes:
    os.lseek(fd, offset, os.SEEK_SET)
    return os.read(fd, size).ljust(size, b"\0")


def _zero(path: Path, places: Ids, size: int) -> None:
    if not path.exists():
        return
    with durable.naming(path), path.open("r+b") as file:
        for at in places.tolist():
            file.seek(at * size)
            file.write(bytes(size))
        file.flush()
        durable.sync(file.fileno(), path=path)


def _whole(path: Path, size: int) -> bytes:
    try:
        data = path.read_bytes()
    except OSError:
        return bytes(size)
    return data if len(data) == size else bytes(size)


def _read(folder: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((folder / "zarr.json").read_bytes())
    return found


def _write(folder: Path, form: dict[str, Any]) -> None:
    durable.replace(folder / "zarr.json", json.dumps(form, indent=2).encode())


def _array(name: str, shape: list[int], chunk: list[int]) -> dict[str, Any]:
    """As zarr 3.1 writes it."""
    return {
        "shape": shape,
        "data_type": "float16" if name == "vectors" else "int64",
        "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": chunk}},
        "chunk_key_encoding": {"name": "default", "configuration": {"separator": "/"}},
        "fill_value": 0.0 if name == "vectors" else 0,
        "codecs": [{"name": "bytes", "configuration": {"endian": "little"}}],
        "attributes": {},
        "zarr_format": 3,
        "node_type": "array",
        "storage_transformers": [],
    }
