"""Caches a result computed from a sample of vectors, so that a restart need not read them again.

The sample consists of the vectors with the smallest ids. The file is deleted when one of them is
discarded, or when a vector with a smaller id arrives. It begins with the CRC-32 of the rest, the
number of ids and the ids.
"""

import struct
import zlib
from collections.abc import Collection
from pathlib import Path

import numpy as np

from ....infra import durable_files

_HEAD = struct.Struct("<II")
_ID_BYTES = 8


class SampleFile:
    """The file of one sample. Not safe for threads."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._ids: frozenset[int] | None = None  # None until the file is read

    def read(self) -> bytes:
        """Returns the bytes that were written last; b"" if the file is missing or damaged."""
        self._ids = frozenset()
        try:
            data = self._path.read_bytes()
            checksum, count = _HEAD.unpack_from(data)
        except (OSError, struct.error):
            return b""
        start = _HEAD.size + count * _ID_BYTES
        if len(data) < start or checksum != zlib.crc32(data[4:]):
            return b""
        self._ids = frozenset(np.frombuffer(data[_HEAD.size : start], dtype="<i8").tolist())
        return data[start:]

    def write(self, ids: Collection[int], content: bytes) -> None:
        """Replaces the file by the result for the vectors of these ids. Raises StorageFailed."""
        rest = np.array(sorted(ids), dtype="<i8").tobytes() + content
        head = _HEAD.pack(0, len(ids))[4:]
        checksum = zlib.crc32(head + rest).to_bytes(4, "little")
        durable_files.replace_without_sync(self._path, checksum + head + rest)
        self._ids = frozenset(ids)

    def discard(self, ids: Collection[int]) -> None:
        """Deletes the file if one of these discarded vectors is in the sample."""
        if ids and not self._sampled().isdisjoint(ids):
            self.delete()

    def admit(self, ids: Collection[int]) -> None:
        """Deletes the file if one of these new vectors belongs to the sample."""
        if ids and self._sampled() and min(ids) < max(self._sampled()):
            self.delete()

    def delete(self) -> None:
        self._path.unlink(missing_ok=True)
        self._ids = frozenset()

    def _sampled(self) -> frozenset[int]:
        if self._ids is None:
            self.read()
        return self._ids or frozenset()
