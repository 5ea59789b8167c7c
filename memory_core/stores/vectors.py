"""The vectors of record: whole zarr chunks, a tail file for the newest, and a flat FAISS index.

Vectors are known by their vector_id, a hash of what was embedded, so they outlive a rebuild of
the catalogue. zarr never syncs and reads a missing chunk as zeros: a row counts only if its id
is not 0 and its length is one. The tail takes single rows cheaply; a full chunk of it is sealed
into zarr at once (float16, uncompressed).
"""

import shutil
import struct
import zlib
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from .. import durable
from ..embedders.base import Vectors

if TYPE_CHECKING:
    from zarr.core.array_spec import ArrayConfigParams

CHUNK_ROWS = 4096
_DAMAGED = (OSError, KeyError, ValueError, TypeError, AttributeError)  # what zarr may raise then
_HEAD = struct.Struct("<qI")  # vector_id, CRC-32 of the row's bytes
Ids = NDArray[np.int64]


class VectorFile:
    """All vectors of one namespace, made by one model. Not safe for threads by itself.

    A file of another model or width is dropped: its vectors can be made anew.
    """

    def __init__(self, folder: Path, *, fingerprint: str, dim: int) -> None:
        self._folder = folder
        self._dim = dim
        self._tail_path = folder / "tail.f16"
        self._zarr_path = folder / "embeddings.zarr"
        self._tail: list[tuple[int, bytes]] = []
        self._index = _flat_index(dim)
        self._open(fingerprint)

    @classmethod
    def left_in(cls, folder: Path) -> "VectorFile | None":
        """What lies in this folder, of whatever model; None where nothing that can be read does."""
        import zarr

        try:
            mark = str(zarr.open_group(str(folder / "embeddings.zarr"), mode="r").attrs["model"])
            fingerprint, _, dim = mark.rpartition(" ")
            return cls(folder, fingerprint=fingerprint, dim=int(dim))
        except _DAMAGED:
            return None

    def __contains__(self, vector_id: int) -> bool:
        return vector_id in self._known

    def lacks(self, vector_id: int) -> bool:
        """Whether a vector would be of use; one that was no unit row is not asked for again."""
        return vector_id not in self._known and vector_id not in self._useless

    def __len__(self) -> int:
        return len(self._known)

    def add(self, ids: Sequence[int], vectors: Vectors) -> None:
        """Keeps unit rows of shape (n, dim); all others, and known ones, are passed over."""
        rows = np.ascontiguousarray(vectors, dtype=np.float16)
        good = _are_unit(rows)
        fresh = [at for at, it in enumerate(ids) if good[at] and self.lacks(it)]
        self._useless.update(int(it) for it, is_good in zip(ids, good, strict=True) if not is_good)
        if not fresh:
            return
        new_ids = [int(ids[at]) for at in fresh]
        self._write_tail(new_ids, rows[fresh])
        self._load(np.array(new_ids, dtype=np.int64), rows[fresh].astype(np.float32))
        while len(self._tail) >= CHUNK_ROWS:
            self._seal()

    def discard(self, ids: Collection[int]) -> None:
        """Takes vectors out of the search; `erase` takes them off the disk."""
        gone = [it for it in ids if it in self._known]
        if gone:
            self._index.remove_ids(np.array(gone, dtype=np.int64))
            self._known.difference_update(gone)

    def keep_only(self, wanted: set[int]) -> None:
        """Erases what is not wanted any more."""
        on_disk = {it for it, _ in self._tail} | set(self._zarr_ids().tolist())
        self.erase(on_disk - wanted - {0})

    def erase(self, ids: Collection[int]) -> None:
        """Takes these vectors off the disk; in zarr zeros take their place."""
        self.discard(ids)
        doomed = set(ids)
        if any(it in doomed for it, _ in self._tail):
            self._tail = [row for row in self._tail if row[0] not in doomed]
            self._rewrite_tail()
        sealed = self._zarr_ids()
        hit = np.isin(sealed, list(doomed))
        for start in sorted({int(at) // CHUNK_ROWS * CHUNK_ROWS for at in np.flatnonzero(hit)}):
            chunk = slice(start, start + CHUNK_ROWS)
            self._ids[chunk] = np.where(hit[chunk], 0, sealed[chunk])
            self._rows[chunk] = np.where(hit[chunk, None], np.float16(0), self._rows[chunk])

    def search(self, query: Vectors, limit: int) -> tuple[list[int], list[float]]:
        """The nearest ids with their cosines, best first; none for a query of another width."""
        limit = min(limit, len(self._known))
        if limit == 0 or query.shape != (self._dim,):
            return [], []
        scores, ids = self._index.search(query.reshape(1, -1), limit)
        return [int(it) for it in ids[0]], [float(it) for it in scores[0]]

    def rows(self, ids: Sequence[int]) -> Vectors:
        """The vectors of known ids, shape (n, dim)."""
        return np.array([self._index.reconstruct(int(it)) for it in ids], dtype=np.float32)

    def _open(self, fingerprint: str) -> None:
        self._known: set[int] = set()
        self._useless: set[int] = set()
        self._mark = f"{fingerprint} {self._dim}"
        try:
            self._open_zarr()
        except _DAMAGED:  # or none yet
            self._begin_zarr()
        self._read_tail()

    def _open_zarr(self) -> None:
        import zarr

        group = zarr.open_group(str(self._zarr_path), mode="r+")
        if group.attrs["model"] != self._mark:
            raise ValueError("vectors of another model")
        self._rows, self._ids = _arrays(group)
        self._even_out()
        ids = self._zarr_ids()
        if len(ids):
            self._load(ids, np.asarray(self._rows[: len(ids)], dtype=np.float32))

    def _even_out(self) -> None:
        """A crash between the two arrays leaves one longer: what lacks its partner goes."""
        whole = min(self._rows.shape[0], self._ids.shape[0])
        if whole < max(self._rows.shape[0], self._ids.shape[0]):
            self._rows.resize((whole, self._dim))
            self._ids.resize((whole,))

    def _begin_zarr(self) -> None:
        import zarr

        shutil.rmtree(self._zarr_path, ignore_errors=True)
        durable.make_folder(self._folder)
        group = zarr.open_group(str(self._zarr_path), mode="w")
        config: ArrayConfigParams = {"write_empty_chunks": True}
        group.create_array(
            "vectors", shape=(0, self._dim), chunks=(CHUNK_ROWS, self._dim),
            dtype="float16", compressors=None, config=config,
        )  # fmt: skip
        group.create_array(
            "ids", shape=(0,), chunks=(CHUNK_ROWS,), dtype="int64", compressors=None, config=config
        )
        group.attrs["model"] = self._mark
        self._rows, self._ids = _arrays(group)

    def _zarr_ids(self) -> Ids:
        return np.asarray(self._ids[:], dtype=np.int64)

    def _load(self, ids: Ids, rows: Vectors) -> None:
        """Into the index, each id once, if a row is a real one and not known yet."""
        good = (ids != 0) & _are_unit(rows)
        good &= np.array([it not in self._known for it in ids.tolist()], dtype=bool)
        at = np.flatnonzero(good)
        good[np.delete(at, np.unique(ids[at], return_index=True)[1])] = False
        if good.any():
            self._index.add_with_ids(np.ascontiguousarray(rows[good]), ids[good])
            self._known.update(int(it) for it in ids[good])

    def _read_tail(self) -> None:
        data = self._tail_path.read_bytes() if self._tail_path.exists() else b""
        mark = self._mark.encode() + b"\n"
        if not data.startswith(mark):
            self._tail_path.unlink(missing_ok=True)
            return
        self._tail = _records(data[len(mark) :], self._dim * 2)
        if len(data) != len(mark) + len(self._tail) * (_HEAD.size + self._dim * 2):
            self._rewrite_tail()  # what is appended next must not stand behind a torn record
        if self._tail:
            rows = np.frombuffer(b"".join(row for _, row in self._tail), dtype=np.float16)
            ids = np.array([it for it, _ in self._tail], dtype=np.int64)
            self._load(ids, rows.reshape(-1, self._dim).astype(np.float32))

    def _write_tail(self, ids: Sequence[int], rows: NDArray[np.float16]) -> None:
        new = [(it, row.tobytes()) for it, row in zip(ids, rows, strict=True)]
        is_new = not self._tail_path.exists()
        with self._tail_path.open("ab") as file:
            if is_new:
                file.write(self._mark.encode() + b"\n")
            file.writelines(_record(it, row) for it, row in new)
        self._tail += new

    def _rewrite_tail(self) -> None:
        records = b"".join(_record(it, row) for it, row in self._tail)
        durable.replace(self._tail_path, self._mark.encode() + b"\n" + records)

    def _seal(self) -> None:
        """One whole chunk from the tail into zarr, then a tail without it."""
        batch, self._tail = self._tail[:CHUNK_ROWS], self._tail[CHUNK_ROWS:]
        rows = np.frombuffer(b"".join(row for _, row in batch), dtype=np.float16)
        self._rows.append(rows.reshape(-1, self._dim))
        self._ids.append(np.array([it for it, _ in batch], dtype=np.int64))
        self._rewrite_tail()


def _arrays(group: Any) -> tuple[Any, Any]:  # noqa: ANN401  (zarr's types do not tell which)
    return group["vectors"], group["ids"]


def _are_unit(rows: NDArray[Any]) -> NDArray[np.bool_]:
    lengths = np.linalg.norm(rows.astype(np.float32), axis=1)
    return np.asarray(np.abs(lengths - 1.0) < 0.05)


def _record(vector_id: int, row: bytes) -> bytes:
    return _HEAD.pack(vector_id, zlib.crc32(row)) + row


def _records(data: bytes, row_size: int) -> list[tuple[int, bytes]]:
    """Whole and undamaged records; what a crash tore is embedded again."""
    size = _HEAD.size + row_size
    found = []
    for at in range(0, len(data) - size + 1, size):
        vector_id, crc = _HEAD.unpack_from(data, at)
        row = data[at + _HEAD.size : at + size]
        if zlib.crc32(row) == crc:
            found.append((vector_id, row))
    return found


def _flat_index(dim: int) -> Any:  # noqa: ANN401  (faiss ships no types)
    import faiss

    faiss.omp_set_num_threads(1)  # measured: two threads make a single query slower
    return faiss.IndexIDMap2(faiss.IndexFlatIP(dim))
