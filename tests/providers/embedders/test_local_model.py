"""Embedding models in this process are loaded by prepare() and fail clearly before that."""

import os
import sys
import threading
import time
from pathlib import Path

import pytest

from memory_core.domain.errors import EmbedderNotReady, EmbedderUnavailable
from memory_core.providers.embedders.fastembed import FastEmbedEmbedder
from memory_core.providers.embedders.local_model import LoadedModel, LocalEmbedder, bytes_written
from memory_core.providers.embedders.sentence_transformers import SentenceTransformersEmbedder
from tests.providers.embedders.tiny_model import write_tiny_model


@pytest.fixture
def offline(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")


def test_a_query_before_prepare_reports_the_download_and_its_size(
    tmp_path: Path,
) -> None:
    embedder = FastEmbedEmbedder(cache_dir=tmp_path)
    with pytest.raises(EmbedderNotReady, match=r"model is being fetched \(220 MB\)"):
        embedder.embed_query("a", timeout_s=1)
    with pytest.raises(EmbedderNotReady):
        embedder.embed(["a"])
    assert (embedder.dim, embedder.download_mb) == (384, 220)


def test_fastembed_lists_the_default_model_with_our_width_and_size(tmp_path: Path) -> None:
    from fastembed import TextEmbedding

    embedder = FastEmbedEmbedder(cache_dir=tmp_path)
    known = {each["model"]: each for each in TextEmbedding.list_supported_models()}
    assert known[embedder.name]["dim"] == embedder.dim
    assert round(known[embedder.name]["size_in_GB"] * 1000) == embedder.download_mb


def test_a_forbidden_download_without_a_cache_names_the_setting(
    tmp_path: Path,
) -> None:
    embedder = FastEmbedEmbedder(cache_dir=tmp_path, allow_download=False)
    with pytest.raises(EmbedderUnavailable, match=r"embedder\.allow_download"):
        embedder.prepare()
    with pytest.raises(EmbedderNotReady, match=r"embedder\.allow_download"):
        embedder.embed_query("a", timeout_s=1)


def test_a_model_unknown_to_fastembed_is_reported(tmp_path: Path, offline: None) -> None:
    for allow_download in (True, False):
        embedder = FastEmbedEmbedder(
            cache_dir=tmp_path, model="nobody/nothing", allow_download=allow_download
        )
        with pytest.raises(EmbedderUnavailable, match="list_supported_models") as found:
            embedder.prepare()
        told = str(found.value)
        assert told.endswith("change embedder.model")
        assert not any(word in told for word in ("network", "fetch"))
        assert not embedder.needs_download


def test_a_damaged_model_is_reported(tmp_path: Path) -> None:
    write_tiny_model(tmp_path, words=["a"])
    (tmp_path / "model.safetensors").write_bytes(b"\x00")
    embedder = FastEmbedEmbedder(
        cache_dir=tmp_path, model="minishlab/potion-base-8M", model_dir=tmp_path
    )
    with pytest.raises(EmbedderUnavailable, match="could not be loaded"):
        embedder.prepare()


@pytest.mark.skipif("sentence_transformers" in sys.modules, reason="the extra is installed")
def test_a_missing_package_is_reported_with_its_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "sentence_transformers", None)
    embedder = SentenceTransformersEmbedder()
    with pytest.raises(EmbedderUnavailable, match="pip install sentence-transformers"):
        embedder.prepare()


class Counting(LocalEmbedder):
    """A model that fails to load while `fault` is set."""

    _package = "nothing"
    loads = 0
    fault: Exception | None = None
    rows = staticmethod(lambda texts: [[3.0, 4.0]] * len(texts))

    def __init__(self) -> None:
        super().__init__(kind="own", model="counting", allow_download=True, download_mb=1)

    def _load(self) -> LoadedModel:
        self.loads += 1
        if self.fault:
            raise self.fault
        return LoadedModel(encode_documents=self.rows, encode_query=self.rows)


def test_prepare_loads_once_and_shows_the_width() -> None:
    embedder = Counting()
    assert embedder.dim == 0
    embedder.prepare()
    embedder.prepare()
    assert (embedder.loads, embedder.dim) == (1, 2)


def test_prepare_can_be_tried_again_after_a_failure() -> None:
    embedder = Counting()
    embedder.fault = OSError("no route to host")
    with pytest.raises(EmbedderUnavailable, match="no route to host"):
        embedder.prepare()
    with pytest.raises(EmbedderNotReady, match="no route to host"):
        embedder.embed(["a"])
    embedder.fault = None
    embedder.prepare()
    assert embedder.embed(["a"]).shape == (1, 2)


def test_bad_results_and_errors_of_a_loaded_model_become_clear_faults() -> None:
    embedder = Counting()
    embedder.rows = lambda texts: [[1.0] * len(texts[0])] * len(texts)
    embedder.prepare()
    with pytest.raises(EmbedderUnavailable, match="vectors of 2 numbers instead of 1"):
        embedder.embed(["ab"])
    with pytest.raises(EmbedderUnavailable, match="vectors of 2 numbers instead of 1"):
        embedder.embed_query("ab", timeout_s=1)


def test_a_query_that_takes_too_long_is_refused_with_its_limit_in_round_seconds() -> None:
    is_done, embedder = threading.Event(), Counting()
    embedder.rows = lambda texts: [[1.0]] * len(texts)
    embedder.prepare()
    embedder.rows = lambda texts: [[float(is_done.wait())]] * len(texts)
    embedder._loaded = embedder._load()
    with pytest.raises(EmbedderUnavailable, match=r"took longer than 0\.02 s$"):
        embedder.embed_query("a", timeout_s=0.0199998)
    is_done.set()


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
