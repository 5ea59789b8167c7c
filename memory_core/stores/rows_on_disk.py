"""The vectors of record: a zarr group of uncompressed chunks, read where they lie.

The group is written here byte by byte, so that a chunk is synced before it counts and nobody waits
for zarr to be imported: two arrays, `vectors` (rows x dim, float16, many chunks a file) and `ids`
(int64, 0: no row), https://zarr-specs.readthedocs.io/en/latest/v3/core/index.html. Each counts as
long as the shorter.
"""

import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .. import durable
from . import shard_file

Ids = NDArray[np.int64]
Halves = NDArray[np.float16]

_FIXED = ("data_type", "chunk_grid", "chunk_key_encoding", "codecs")
_NONE = (FileNotFoundError, NotADirectoryError, IsADirectoryError)
# Not a disk that does not answer: what lies there may be whole.
UNREADABLE = (*_NONE, LookupError, ValueError, TypeError, AttributeError)


class Rows:
    """Raises one of UNREADABLE where what lies there is not `mark`'s, and other OSErrors."""

    def __init__(self, path: Path, *, mark: str, dim: int, chunk: int) -> None:
        self._path = path
        self._dim = dim
        self._chunk = chunk
        self._maps: dict[int, Halves] = {}
        if _read(path)["attributes"]["model"] != mark:
            raise ValueError("vectors of another model")
        self._shapes = {name: _read(path / name) for name in ("vectors", "ids")}
        forms = ((form, self._form(name, 0)) for name, form in self._shapes.items())
        if any(form[part] != ours[part] for form, ours in forms for part in _FIXED):
            raise ValueError("vectors of another form")
        self._count = min(map(self._length, self._shapes))
        self.lost = frozenset(self._not_there())  # chunks whose rows cannot be read
        self._dropped: frozenset[int] = frozenset()

    @classmethod
    def begun(cls, path: Path, *, mark: str, dim: int, chunk: int) -> "Rows":
        """An empty group in place of whatever lies there."""
        shutil.rmtree(path, ignore_errors=True)
        form = {"attributes": {"model": mark}, "zarr_format": 3, "node_type": "group"}
        for name in ("vectors", "ids"):
            durable.make_folder(path / name)
            _write(path / name, _array(name, 0, chunk=chunk, dim=dim))
        _write(path, form)
        return cls(path, mark=mark, dim=dim, chunk=chunk)

    def __len__(self) -> int:
        return self._count

    def ids(self, chunk: int) -> Ids:
        """Of one chunk; all 0 where its file is lost."""
        data = _whole(self._file("ids", chunk), self._chunk * 8)
        return np.frombuffer(data, dtype="<i8").astype(np.int64)

    def block(self, chunk: int) -> Halves:
        """The rows of one chunk, shape (chunk, dim); zeros if it is lost."""
        shard, slot = divmod(chunk, shard_file.CHUNKS)
        if chunk in self.lost:
            return np.zeros((self._chunk, self._dim), dtype=np.float16)
        data = shard_file.read(self._file("vectors", shard), [slot * self._bytes], self._bytes)
        return data.view("<f2").reshape(self._chunk, self._dim)

    def gather(self, rows: Ids) -> Halves:
        """These rows, shape (n, dim); zeros for those that are lost."""
        found = np.zeros((len(rows), self._dim), dtype=np.float16)
        size = self._chunk * shard_file.CHUNKS
        for shard, at in _by_file(rows, size):
            inside = rows[at] - shard * size
            mapped = self._mapped(shard, int(inside.max()) // self._chunk)
            there = inside < len(mapped)
            if len(at) == len(rows) and there.all() and not self.lost:
                return mapped.take(rows - shard * size, axis=0)
            found[at[there]] = mapped.take(inside[there], axis=0)  # faster than by an index
        if self.lost:
            found[np.isin(rows // self._chunk, list(self.lost))] = 0.0
        return found

    def scattered(self, rows: Ids) -> Halves:
        """The same for living rows that lie far apart and are not wanted again: what was never
        mapped need not be.
        """
        found = np.zeros((len(rows), self._dim), dtype=np.float16)
        size = self._chunk * shard_file.CHUNKS
        for shard, at in _by_file(rows, size):
            offsets = (rows[at] - shard * size) * self._dim * 2
            data = shard_file.read(self._file("vectors", shard), offsets.tolist(), self._dim * 2)
            found[at] = data.view("<f2")
        return found

    def _mapped(self, shard: int, slot: int) -> Halves:
        """The rows of one file, up to this chunk at least if they are there."""
        mapped = self._maps.get(shard)
        if mapped is None or len(mapped) <= slot * self._chunk:
            chunks = shard_file.mapped(self._file("vectors", shard), self._bytes)
            mapped = self._maps[shard] = chunks.view("<f2").reshape(-1, self._dim)
        return mapped

    @property
    def _bytes(self) -> int:
        """Of one chunk of vectors."""
        return self._chunk * self._dim * 2

    def append(self, ids: Ids, rows: Halves) -> None:
        """One whole chunk; on return it is on the disk."""
        at = self._count // self._chunk
        shard, slot = divmod(at, shard_file.CHUNKS)
        vectors, named = self._file("vectors", shard), self._file("ids", at)
        for path in (vectors, named):
            durable.make_folder(path.parent)
        shard_file.put(vectors, slot, rows.astype("<f2").tobytes())
        durable.replace(named, ids.astype("<i8").tobytes())
        for name in ("ids", "vectors"):
            self._shapes[name] = self._form(name, self._count + self._chunk)
            _write(self._path / name, self._shapes[name])
        self._count += self._chunk

    def wipe(self, rows: Ids) -> None:
        """Zeros in their place; a file of nothing else goes, and what stands in chunks that do not
        count or cannot be read: it may be what is to be erased.
        """
        self._drop_unfinished()
        self._drop_lost()
        size = self._chunk * shard_file.CHUNKS
        for shard, at in _by_file(rows, size):
            inside = (rows[at] - shard * size) * self._dim * 2 + shard_file.BEGIN
            _zero(self._file("vectors", shard), inside, self._dim * 2)
        for chunk, at in _by_file(rows, self._chunk):
            _zero(self._file("ids", chunk), (rows[at] - chunk * self._chunk) * 8, 8)
        for shard in np.unique(rows // size).tolist():
            if not any(self.ids(it).any() for it in self._chunks_of(shard)):
                self._maps.pop(shard, None)
                self._file("vectors", shard).unlink(missing_ok=True)

    def _drop_unfinished(self) -> None:
        """What append() had written when it was cut off."""
        at = self._count // self._chunk
        shard, slot = divmod(at, shard_file.CHUNKS)
        with durable.naming(self._path):
            self._file("ids", at).unlink(missing_ok=True)
            shard_file.cut(self._file("vectors", shard), slot, self._bytes)

    def _drop_lost(self) -> None:
        """Their rows were embedded anew."""
        for chunk in self.lost - self._dropped:
            shard, slot = divmod(chunk, shard_file.CHUNKS)
            with durable.naming(self._path):
                shard_file.blank(self._file("vectors", shard), slot, self._bytes)
                self._file("ids", chunk).unlink(missing_ok=True)
        self._dropped = self.lost

    def close(self) -> None:
        self._maps.clear()

    def _chunks_of(self, shard: int) -> range:
        first = shard * shard_file.CHUNKS
        return range(first, min(first + shard_file.CHUNKS, self._count // self._chunk))

    def _not_there(self) -> Iterator[int]:
        for shard in range(-(-self._count // (self._chunk * shard_file.CHUNKS))):
            present = shard_file.present(self._file("vectors", shard), self._bytes)
            yield from (it for it in self._chunks_of(shard) if not present[it % len(present)])

    def _length(self, name: str) -> int:
        length = int(self._shapes[name]["shape"][0])
        return length - length % self._chunk

    def _form(self, name: str, length: int) -> dict[str, Any]:
        return _array(name, length, chunk=self._chunk, dim=self._dim)

    def _file(self, name: str, number: int) -> Path:
        return self._path / name / "c" / (f"{number}/0" if name == "vectors" else str(number))


def mark_in(path: Path) -> str:
    """Of whatever model the vectors there are; raises what Rows does."""
    return str(_read(path)["attributes"]["model"])


def _by_file(rows: Ids, size: int) -> Iterator[tuple[int, Ids]]:
    """Each file of `size` rows, with the places in `rows` of those that lie in it."""
    files = rows // size
    order = np.argsort(files, kind="stable")
    starts = np.flatnonzero(np.diff(files[order], prepend=-1))
    for at in np.split(order, starts[1:]) if len(rows) else []:
        yield int(files[at[0]]), at


def _zero(path: Path, offsets: Ids, size: int) -> None:
    if not path.exists():
        return
    length = path.stat().st_size
    with durable.naming(path), path.open("r+b") as file:
        for at in offsets[offsets + size <= length].tolist():
            file.seek(at)
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


def _array(name: str, length: int, *, chunk: int, dim: int) -> dict[str, Any]:
    """As zarr 3.1 writes it."""
    if name == "vectors":
        form = {"shape": [length, dim], "data_type": "float16", "fill_value": 0.0}
        file, codec = [chunk * shard_file.CHUNKS, dim], shard_file.codec([chunk, dim])
    else:
        form = {"shape": [length], "data_type": "int64", "fill_value": 0}
        file, codec = [chunk], shard_file.BYTES
    return {
        **form,
        "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": file}},
        "chunk_key_encoding": {"name": "default", "configuration": {"separator": "/"}},
        "codecs": [codec],
        "attributes": {},
        "zarr_format": 3,
        "node_type": "array",
        "storage_transformers": [],
    }
