"""Durable vectors: a zarr group of uncompressed chunks, each a file of its own.

zarr creates, resizes and fills the arrays: `embeddings` (rows x dim, float16) and `ids` (int64, 0:
no row). Both count as long as the shorter. Single rows are read from the chunks directly: zarr
would have to be imported first, and takes a hundred times as long for a few rows
(docs/decisions/embeddings-in-zarr.md).
"""

import json
import math
import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from numpy.typing import NDArray

from ....infra import durable_files
from ....infra.row_files import RowFiles

if TYPE_CHECKING:
    from zarr.abc.store import Store

METADATA = "zarr.json"


@contextmanager
def draft(folder: Path, names: Iterable[str]) -> Iterator["Store"]:
    """Yields an in-memory store with these files of the folder, as far as they exist.

    Changed files are written at the end: first the chunks, in the order of the arrays, then the
    metadata, the group's last. Raises StorageFailed.
    """
    from zarr.core.buffer import default_buffer_prototype
    from zarr.storage import MemoryStore

    with durable_files.naming_errors(folder):
        before = {
            name: (folder / name).read_bytes()
            for name in names
            if durable_files.exists(folder / name)
        }
    buffer = default_buffer_prototype().buffer
    files = {name: buffer.from_bytes(data) for name, data in before.items()}
    yield MemoryStore(files)
    after = {name: data.to_bytes() for name, data in files.items()}
    for name in sorted(
        before.keys() | after.keys(), key=lambda name: (name.endswith(METADATA), name)
    ):
        if name not in after:
            durable_files.remove_durably(folder / name)
        elif after[name] != before.get(name):
            durable_files.make_folder((folder / name).parent)
            durable_files.replace(folder / name, after[name])


if TYPE_CHECKING:
    import zarr

Ids = NDArray[np.int64]
Halves = NDArray[np.float16]

_ROWS, _IDS = "embeddings", "ids"
_TYPES = {_ROWS: "float16", _IDS: "int64"}
_SEPARATORS = {_ROWS: ".", _IDS: "/"}  # in the names of the chunks
_MAX_OPEN = 128  # chunks
_AT_ONCE = 64  # fewer, so that they stay open between request and read
_HALF = 2  # bytes
_BLOCK = 16  # rows that are requested together: those of one exchange are near each other
_NONE = (FileNotFoundError, NotADirectoryError, IsADirectoryError)
# Errors of a disk that does not answer are not among them, since the files may be whole.
UNREADABLE = (*_NONE, LookupError, ValueError, TypeError, AttributeError)


class ZarrVectors:
    """The vectors of a zarr group; empty if there are no files.

    Raises one of UNREADABLE if the files do not match `mark`, and other OSErrors.
    """

    def __init__(self, path: Path, *, mark: str, dim: int, chunk: int) -> None:
        self._path = path
        self._rows_folder = f"{path / _ROWS}{os.sep}"  # Path is slow: each search opens many chunks
        self._mark = mark
        self._chunk = chunk
        self._shapes = {_ROWS: (chunk, dim), _IDS: (chunk,)}
        self._files = RowFiles(
            lambda number: f"{self._rows_folder}{self._name(_ROWS, number)}",
            rows=chunk,
            row_bytes=dim * _HALF,
            max_open=_MAX_OPEN,
        )
        self._requested = np.zeros(0, dtype=np.bool_)  # by block of rows
        self._count = self._counted() if durable_files.exists(path) else 0
        # Chunks whose rows cannot be read, or are all erased.
        every = range(self._count // chunk)
        self.unreadable_chunks = frozenset(
            name for name in every if not self._is_whole(_ROWS, name)
        )
        self._dropped: frozenset[int] = frozenset()

    def __len__(self) -> int:
        return self._count

    def ids(self, chunk: int) -> Ids:
        """Returns the ids of one chunk; all 0 where its file is lost."""
        return self._values(_IDS, chunk).astype(np.int64)

    def block(self, chunk: int) -> Halves:
        """Returns the rows of one chunk, shape (chunk, dim); zeros if it is lost."""
        return self._values(_ROWS, chunk)

    def gather(self, rows: Ids) -> Halves:
        """Returns these rows, shape (n, dim); zeros for those that are lost."""
        found = np.zeros((len(rows), *self._shapes[_ROWS][1:]), dtype=np.float16)
        parts = [
            (chunk, places, (rows[places] - chunk * self._chunk).tolist())
            for chunk, places in _by_chunk(rows, self._chunk)
        ]
        is_requested = self._are_requested(rows)
        for first in range(0, len(parts), _AT_ONCE):
            some = parts[first : first + _AT_ONCE]
            if not is_requested:
                self._request([(chunk, own) for chunk, _, own in some])
            for chunk, places, own in some:
                if (read := self._files.read(chunk, own)) is not None:
                    found[places] = read.view("<f2")
        return found

    def _are_requested(self, rows: Ids) -> bool:
        """Returns whether all these rows were requested before, and counts them as requested."""
        blocks, count = rows // _BLOCK, -(-self._count // _BLOCK)
        if len(self._requested) < count:
            self._requested = np.pad(self._requested, (0, count - len(self._requested)))
        is_requested = bool(self._requested[blocks].all())
        self._requested[blocks] = True
        return is_requested

    def _request(self, parts: Sequence[tuple[int, list[int]]]) -> None:
        """Requests rows of chunks, all before the first is read: the disk reads them at once."""
        for chunk, rows in parts:
            firsts = {row // _BLOCK * _BLOCK for row in rows}
            spans = ((first, min(first + _BLOCK, self._chunk)) for first in sorted(firsts))
            self._files.request(chunk, spans)

    def append(self, ids: Ids, rows: Halves) -> None:
        """Writes one whole chunk and syncs it."""
        end = self._count + self._chunk
        with self._arrays(self._count // self._chunk) as arrays:
            for name, values in ((_ROWS, rows), (_IDS, ids)):
                arrays[name].resize((end, *self._shapes[name][1:]))
                arrays[name][self._count : end] = values
        self._count = end

    def wipe(self, rows: Ids) -> None:
        """Overwrites rows with zeros.

        Deletes chunk files with nothing else in them, and chunks that do not count or cannot be
        read, as these may hold what is to be erased.
        """
        for chunk in {self._count // self._chunk, *self.unreadable_chunks} - self._dropped:
            for path in (self._file(name, chunk) for name in _TYPES):
                if durable_files.exists(path):
                    durable_files.remove_durably(path)
        self._dropped = self.unreadable_chunks
        for chunk, places in _by_chunk(rows, self._chunk):
            self._files.drop(chunk)
            with self._arrays(chunk) as arrays:
                for array in arrays.values():
                    array.oindex[rows[places]] = 0

    def close(self) -> None:
        self._files.close()

    @contextmanager
    def _arrays(self, chunk: int) -> "Iterator[dict[str, zarr.Array[Any]]]":
        """Yields the arrays with this chunk alone for zarr to change; changes are synced at the
        end.
        """
        import zarr

        chunks = [self._file(name, chunk) for name in _TYPES if self._is_whole(name, chunk)]
        metadata = [self._path / name / METADATA for name in ("", *_TYPES)]
        names = (name.relative_to(self._path).as_posix() for name in (*chunks, *metadata))
        with draft(self._path, names) as store:
            group = zarr.open_group(store, mode="a", attributes={"model": self._mark})
            yield {name: self._array(group, name) for name in _TYPES}

    def _array(self, group: "zarr.Group", name: str) -> "zarr.Array[Any]":
        if name in group:
            return cast("zarr.Array[Any]", group[name])
        return group.create_array(
            name,
            shape=(0, *self._shapes[name][1:]),
            chunks=self._shapes[name],
            dtype=_TYPES[name],
            compressors=None,
            fill_value=0,
            chunk_key_encoding={"name": "default", "separator": _SEPARATORS[name]},
        )

    def _counted(self) -> int:
        if read_model_mark(self._path) != self._mark:
            raise ValueError("vectors of another model")
        return min(self._length(name) for name in _TYPES)

    def _length(self, name: str) -> int:
        """Returns the number of rows, in whole chunks."""
        form = _metadata(self._path / name)
        found = (
            form["data_type"],
            tuple(form["chunk_grid"]["configuration"]["chunk_shape"]),
            [codec["name"] for codec in form["codecs"]],
        )
        if found != (_TYPES[name], self._shapes[name], ["bytes"]):
            raise ValueError("vectors of another form")
        length = int(form["shape"][0])
        return length - length % self._chunk

    def _values(self, name: str, chunk: int) -> NDArray[Any]:
        try:
            data = self._file(name, chunk).read_bytes()
        except OSError:
            data = b""
        if len(data) != self._size(name):
            data = bytes(self._size(name))
        kind = np.dtype(_TYPES[name]).newbyteorder("<")
        return np.frombuffer(data, dtype=kind).reshape(self._shapes[name])

    def _is_whole(self, name: str, chunk: int) -> bool:
        found = durable_files.stat_or_none(self._file(name, chunk))
        return found is not None and found.st_size == self._size(name)

    def _size(self, name: str) -> int:
        return math.prod(self._shapes[name]) * np.dtype(_TYPES[name]).itemsize

    def _file(self, name: str, chunk: int) -> Path:
        return self._path / name / self._name(name, chunk)

    def _name(self, name: str, chunk: int) -> str:
        numbers = [chunk] + [0] * (len(self._shapes[name]) - 1)
        return _SEPARATORS[name].join(map(str, ["c", *numbers]))


def read_model_mark(path: Path) -> str:
    """Returns the model mark of the group. Raises the errors of ZarrVectors."""
    return str(_metadata(path)["attributes"]["model"])


def _metadata(folder: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((folder / METADATA).read_bytes())
    return found


def _by_chunk(rows: Ids, size: int) -> Iterator[tuple[int, Ids]]:
    """Yields each chunk of `size` rows, with the indices of those `rows` that are in it."""
    chunks = rows // size
    order = np.argsort(chunks, kind="stable")
    starts = np.flatnonzero(np.diff(chunks[order], prepend=-1))
    for places in np.split(order, starts[1:]) if len(rows) else []:
        yield int(chunks[places[0]]), places
