"""The default model gives the same vectors with and without fastembed."""

import sys
from pathlib import Path

import numpy as np
import pytest

from memory_core import bootstrap
from memory_core.config.model_settings import EmbedderSettings
from memory_core.domain.errors import EmbedderUnavailable
from memory_core.providers.embedders.fastembed import FastEmbedEmbedder
from tests.providers.embedders.tiny_onnx import write_tiny_onnx

WORDS = ["the", "cat", "sleeps", "wakes", "a", "我喜欢猫", "кошка"]
TEXTS = ["The cat sleeps", "我喜欢猫", "Кошка nothing", "the cat " * 90 + "wakes", "a"]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    write_tiny_onnx(tmp_path, words=WORDS)
    return tmp_path


@pytest.fixture
def without_fastembed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "fastembed", None)


def prepared(folder: Path) -> FastEmbedEmbedder:
    embedder = FastEmbedEmbedder(cache_dir=folder, allow_download=False, model_dir=folder)
    embedder.prepare()
    return embedder


def test_the_default_model_gives_the_same_vectors_with_and_without_fastembed(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    through = prepared(folder)
    monkeypatch.setitem(sys.modules, "fastembed", None)
    bare = prepared(folder)
    assert (bare.fingerprint, bare.dim) == (through.fingerprint, through.dim)
    np.testing.assert_allclose(bare.embed(TEXTS), through.embed(TEXTS), atol=1e-6)
    query = bare.embed_query(TEXTS[0], timeout_s=5)
    np.testing.assert_allclose(query, through.embed_query(TEXTS[0], timeout_s=5), atol=1e-6)


def test_many_texts_come_back_in_their_order_without_fastembed(
    folder: Path, without_fastembed: None
) -> None:
    embedder, many = prepared(folder), TEXTS * 40
    rows = embedder.embed(many)
    np.testing.assert_allclose(rows, np.tile(embedder.embed(TEXTS), (40, 1)), atol=1e-6)


def test_kind_auto_chooses_the_default_model_without_fastembed(
    without_fastembed: None,
) -> None:
    assert bootstrap._chosen_kind(EmbedderSettings()) == "fastembed"
    assert bootstrap._chosen_kind(EmbedderSettings(model="BAAI/bge-small-en-v1.5")) == "none"


def test_another_model_without_fastembed_names_the_package_to_install(
    tmp_path: Path, without_fastembed: None
) -> None:
    embedder = FastEmbedEmbedder(cache_dir=tmp_path, model="BAAI/bge-small-en-v1.5")
    with pytest.raises(EmbedderUnavailable, match="pip install fastembed"):
        embedder.prepare()


def test_a_damaged_model_is_reported_without_fastembed(
    folder: Path, without_fastembed: None
) -> None:
    (folder / "model_optimized.onnx").write_bytes(b"\x00")
    with pytest.raises(EmbedderUnavailable, match="could not be loaded"):
        prepared(folder)


def test_a_forbidden_download_names_the_setting_without_fastembed(
    tmp_path: Path, without_fastembed: None
) -> None:
    embedder = FastEmbedEmbedder(cache_dir=tmp_path, allow_download=False)
    with pytest.raises(EmbedderUnavailable, match=r"embedder\.allow_download"):
        embedder.prepare()
