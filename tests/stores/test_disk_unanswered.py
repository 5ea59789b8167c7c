"""A disk that fails for a moment costs no vectors, and leaves none unerased."""

import errno
from pathlib import Path

import numpy as np
import pytest

from memory_core.errors import StorageFailed
from memory_core.stores import rows_on_disk
from memory_core.stores.local import LocalStore
from memory_core.stores.sizes import Sizes
from memory_core.transcript.lines import Line, Op
from tests.builders import added, said
from tests.stores.test_local_disk import DIM, disk, filled, holds, opened, rows

ONE = Sizes(chunk=1)  # each row reaches zarr


def unanswered(path: Path) -> None:
    """As a disk, or a process with too many open files, gives nothing for a moment."""
    raise OSError(errno.EIO, "Input/output error", str(path))


def test_vectors_are_kept_when_the_disk_does_not_answer_for_a_moment(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    filled(folder).close()
    with monkeypatch.context() as patched:
        patched.setattr(rows_on_disk, "_metadata", unanswered)
        with pytest.raises(OSError, match="Input/output error"):
            opened(folder)
    assert holds(opened(folder), range(1, 11))


def test_vectors_that_could_not_be_read_when_they_were_to_be_erased_are_erased_later(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = LocalStore(folder, sizes=ONE)
    store.use_model("m", DIM)
    store.apply([added(1, "id1", said("old words"))], {})
    waiting = store.unembedded(9)
    vectors = rows(len(waiting))
    store.add_vectors([it.vector_id for it in waiting], vectors)
    store.apply([Line(seq=2, op=Op.FORGET, id="id1", ts=0.0, fields={})], {})
    store.close()
    again = LocalStore(folder, sizes=ONE)
    with monkeypatch.context() as patched:
        patched.setattr(rows_on_disk, "_metadata", unanswered)
        with pytest.raises(StorageFailed, match="Input/output error"):
            again.erase(["id1"])
    assert vectors[0].astype(np.float16).tobytes() in disk(folder)
    again.erase(["id1"])
    assert vectors[0].astype(np.float16).tobytes() not in disk(folder)
    again.close()
