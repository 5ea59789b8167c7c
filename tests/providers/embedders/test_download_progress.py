"""The progress of a download, from the files below a folder."""

import os
import time
from pathlib import Path

from memory_core.providers.embedders.download_progress import bytes_written
from memory_core.providers.embedders.local_model import LoadedModel, LocalEmbedder


class Fetches(LocalEmbedder):
    """Writes half a model into its folder, and records the bytes that it then reports."""

    _package = "none"

    def __init__(self, folder: Path) -> None:
        super().__init__(
            kind="test", model="hub/name", allow_download=True, download_mb=1, downloads=folder
        )
        self._folder = folder
        self.counted = -1

    def _load(self) -> LoadedModel:
        (self._folder / "blobs").mkdir()
        (self._folder / "blobs" / "model.incomplete").write_bytes(b"x" * 600)
        self.counted = self.fetched_bytes()
        return LoadedModel(encode_documents=_rows, encode_query=_rows)


def _rows(texts: list[str]) -> object:
    return [[1.0, 0.0] for _ in texts]


def test_bytes_written_counts_only_files_since_the_download_began(tmp_path: Path) -> None:
    now = time.time()
    (tmp_path / "old.onnx").write_bytes(b"x" * 1000)
    os.utime(tmp_path / "old.onnx", (now - 100, now - 100))
    (tmp_path / "new").mkdir()
    (tmp_path / "new" / "model.incomplete").write_bytes(b"x" * 300)
    (tmp_path / "link").symlink_to(tmp_path / "new" / "model.incomplete")
    assert bytes_written(tmp_path, now) == 300


def test_bytes_written_to_a_missing_folder_are_zero(tmp_path: Path) -> None:
    assert bytes_written(tmp_path / "none", 0.0) == 0


def test_model_reports_the_bytes_that_it_fetches(tmp_path: Path) -> None:
    model = Fetches(tmp_path)
    assert model.fetched_bytes() == 0
    model.prepare()
    assert model.counted == 600
