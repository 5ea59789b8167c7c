"""A disk that fails for a moment loses no vectors, and leaves none unerased."""

import errno
from pathlib import Path

import numpy as np
import pytest

from memory_core.domain.errors import StorageFailed
from memory_core.storage.index.local import LocalStore
from memory_core.storage.index.vectors import zarr_rows
from memory_core.storage.index.vectors.segment_list import ChunkSizes
from memory_core.storage.log.events import Event, EventType
from tests.builders import added, said
from tests.storage.index.test_local_disk import DIM, disk, filled, holds, opened, rows

ONE = ChunkSizes(chunk=1)  # each row reaches zarr


def unanswered(path: Path) -> None:
    """Fails like a disk that does not answer for a moment."""
    raise OSError(errno.EIO, "Input/output error", str(path))


def test_vectors_are_kept_when_the_disk_does_not_answer_for_a_moment(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    filled(folder).close()
    with monkeypatch.context() as patched:
        patched.setattr(zarr_rows, "_metadata", unanswered)
        with pytest.raises(OSError, match="Input/output error"):
            opened(folder)
    assert holds(opened(folder), range(1, 11))


def test_vectors_unreadable_during_erasing_are_erased_later(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = LocalStore(folder, sizes=ONE)
    store.vectors.use_model("m", DIM)
    store.apply([added(1, "id1", said("old words"))], {})
    waiting = store.vectors.pending(9)
    vectors = rows(len(waiting))
    store.vectors.add([pending.vector_id for pending in waiting], vectors)
    store.apply([Event(seq=2, op=EventType.FORGET, id="id1", ts=0.0, fields={})], {})
    store.close()
    again = LocalStore(folder, sizes=ONE)
    with monkeypatch.context() as patched:
        patched.setattr(zarr_rows, "_metadata", unanswered)
        with pytest.raises(StorageFailed, match="Input/output error"):
            again.erase(["id1"])
    assert vectors[0].astype(np.float16).tobytes() in disk(folder)
    again.erase(["id1"])
    assert vectors[0].astype(np.float16).tobytes() not in disk(folder)
    again.close()
