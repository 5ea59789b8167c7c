"""Write-ahead file: the newest vectors, one record each, until they fill a chunk.

It is not synced: vectors lost in a crash are embedded again. The first line names the model. A
record is the vector's id, the CRC-32 of its row, and the row.
"""

import struct
import zlib
from collections.abc import Collection, Iterator
from pathlib import Path

import numpy as np

from ....infra import durable_files
from .zarr_rows import Halves, Ids

_HEAD = struct.Struct("<qI")


class VectorWriteAhead:
    """The rows of the write-ahead file. `ids` are 0 where a row was wiped."""

    def __init__(self, path: Path, *, mark: str, dim: int) -> None:
        self._path = path
        self._mark = mark.encode() + b"\n"
        self._dim = dim
        self._rows: list[bytes] = []
        self.ids: list[int] = []
        self._at: dict[int, int] = {}
        self._is_stale = False  # the file still has records that were dropped or wiped
        self._read()
        self._reindex_from()

    @staticmethod
    def mark_in(path: Path) -> str:
        """Returns the model mark of the file. Raises OSError and ValueError."""
        with path.open("rb") as file:
            return file.readline().rstrip(b"\n").decode()

    def __len__(self) -> int:
        return len(self.ids)

    def rows(self, index: slice = slice(None)) -> Halves:
        """Returns rows of shape (n, dim)."""
        return self._joined(self._rows[index])

    def gather(self, places: Ids) -> Halves:
        """Returns these rows, shape (n, dim)."""
        return self._joined([self._rows[index] for index in places.tolist()])

    def _joined(self, rows: list[bytes]) -> Halves:
        return np.frombuffer(b"".join(rows), dtype="<f2").reshape(-1, self._dim)

    def find(self, ids: Ids) -> Ids:
        """Returns the position of each id; -1 for unknown ones."""
        known = self._at
        return np.array([known.get(vector_id, -1) for vector_id in ids.tolist()], dtype=np.int64)

    def append(self, ids: Ids, rows: Halves) -> None:
        new = [row.tobytes() for row in rows.astype("<f2")]
        self._cut_torn_end()
        with self._path.open("ab") as file:
            if file.tell() == 0:
                file.write(self._mark)
            file.writelines(_records(ids.tolist(), new))
        self.ids += ids.tolist()
        self._rows += new
        self._reindex_from(len(self.ids) - len(new))

    def drop(self, count: int) -> None:
        """Drops the first rows, which are stored in zarr now."""
        del self.ids[:count], self._rows[:count]
        self._reindex_from()
        self._rewrite()

    def wipe(self, ids: Collection[int]) -> None:
        """Overwrites the rows of these ids with zeros, so that no other row moves."""
        hit = [index for index, vector_id in enumerate(self.ids) if vector_id in ids]
        for index in hit:
            self.ids[index], self._rows[index] = 0, bytes(self._dim * 2)
        if hit or self._is_stale:
            self._is_stale = True
            self._reindex_from()
            self._rewrite()

    def _reindex_from(self, start: int = 0) -> None:
        if start == 0:
            self._at.clear()
        self._at |= {
            vector_id: index
            for index, vector_id in enumerate(self.ids[start:], start=start)
            if vector_id
        }

    def _size(self) -> int:
        return len(self._mark) + len(self.ids) * (_HEAD.size + self._dim * 2)

    def _cut_torn_end(self) -> None:
        """Cuts off the rest of a failed write, which would break all later records."""
        if self._path.exists() and self._path.stat().st_size != self._size():
            self._rewrite()

    def _read(self) -> None:
        data = self._path.read_bytes() if self._path.is_file() else b""
        if not data.startswith(self._mark):
            durable_files.remove(self._path)
            return
        for vector_id, row in _whole_records(data[len(self._mark) :], self._dim * 2):
            self.ids.append(vector_id)
            self._rows.append(row)
        self._cut_torn_end()

    def _rewrite(self) -> None:
        data = self._mark + b"".join(_records(self.ids, self._rows))
        durable_files.replace(self._path, data)
        self._is_stale = False


def _records(ids: list[int], rows: list[bytes]) -> Iterator[bytes]:
    return (
        _HEAD.pack(vector_id, zlib.crc32(row)) + row
        for vector_id, row in zip(ids, rows, strict=True)
    )


def _whole_records(data: bytes, row_size: int) -> Iterator[tuple[int, bytes]]:
    """Yields the undamaged records. Vectors of the others are embedded again."""
    size = _HEAD.size + row_size
    for offset in range(0, len(data) - size + 1, size):
        vector_id, crc = _HEAD.unpack_from(data, offset)
        row = data[offset + _HEAD.size : offset + size]
        if vector_id and zlib.crc32(row) == crc:
            yield vector_id, row
