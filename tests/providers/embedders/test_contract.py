"""The contract of every embedder, run over each that needs no network."""

import hashlib
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from memory_core.config.model_settings import EmbedderSettings
from memory_core.providers.embedders.base import Embedder, Vectors
from memory_core.providers.embedders.fake import FakeEmbedder
from memory_core.providers.embedders.fastembed import FastEmbedEmbedder
from memory_core.providers.embedders.openai import OpenAIEmbedder
from memory_core.providers.plugins import custom_embedder
from memory_core.providers.resilient import ResilientEmbedder
from tests.loopback import serve
from tests.providers.embedders.loaded_models import loaded_built_in
from tests.providers.embedders.servers import serves_the_fake
from tests.providers.embedders.tiny_model import write_tiny_model

TEXTS = ["The cat sleeps", "我喜欢猫", "Кошка спит 🐈‍⬛", "the cat wakes"]


@pytest.fixture(params=["fake", "openai", "custom", "cooling", "fastembed", "built-in"])
def embedder(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Embedder]:
    if request.param == "openai":
        with serve(serves_the_fake) as server:
            yield OpenAIEmbedder(base_url=server.url, model="fake")
    elif request.param == "custom":
        yield custom_embedder(
            EmbedderSettings(kind="tests.providers.embedders.own_embedders:Careless")
        )
    elif request.param == "fastembed":
        yield _tiny_fastembed(tmp_path)
    elif request.param == "built-in":
        yield loaded_built_in()
    elif request.param == "cooling":
        yield ResilientEmbedder(FakeEmbedder())
    else:
        yield FakeEmbedder()


def _tiny_fastembed(folder: Path) -> Embedder:
    write_tiny_model(folder, words=["the", "cat", "sleeps", "wakes", "我喜欢猫", "кошка", "a"])
    embedder = FastEmbedEmbedder(
        cache_dir=folder, model="minishlab/potion-base-8M", allow_download=False, model_dir=folder
    )
    embedder.prepare()
    return embedder


def _query(embedder: Embedder, text: str) -> Vectors:
    return embedder.embed_query(text, timeout_s=5)


def test_documents_become_float32_rows_of_unit_length_one_per_text(embedder: Embedder) -> None:
    rows = embedder.embed(TEXTS)
    assert rows.dtype == np.float32
    assert rows.shape == (len(TEXTS), embedder.dim)
    np.testing.assert_allclose(np.linalg.norm(rows, axis=1), 1, atol=1e-6)


def test_a_query_becomes_one_float32_row_of_unit_length(embedder: Embedder) -> None:
    row = _query(embedder, TEXTS[0])
    assert row.dtype == np.float32
    assert row.shape == (embedder.dim,)
    assert np.linalg.norm(row) == pytest.approx(1, abs=1e-6)


def test_the_same_text_always_gets_the_same_vector(embedder: Embedder) -> None:
    np.testing.assert_array_equal(embedder.embed(TEXTS), embedder.embed(TEXTS))
    np.testing.assert_allclose(_query(embedder, TEXTS[1]), embedder.embed(TEXTS)[1], atol=1e-6)


def test_rows_are_in_the_order_of_their_texts(embedder: Embedder) -> None:
    forward, backward = embedder.embed(TEXTS), embedder.embed(TEXTS[::-1])
    np.testing.assert_allclose(forward, backward[::-1], atol=1e-6)
    assert not np.allclose(forward[0], forward[1])


def test_texts_that_share_words_are_nearer_than_texts_that_do_not(embedder: Embedder) -> None:
    asked = _query(embedder, "the cat")
    near, far = embedder.embed(["The cat sleeps", "我喜欢猫"])
    assert asked @ near > asked @ far


def test_no_texts_become_an_empty_matrix_of_the_same_width(embedder: Embedder) -> None:
    embedder.embed(TEXTS)
    assert embedder.embed([]).shape == (0, embedder.dim)
    assert embedder.embed([]).dtype == np.float32


def test_the_width_of_vectors_never_changes(embedder: Embedder) -> None:
    widths = {embedder.embed([text]).shape[1] for text in TEXTS}
    assert widths == {embedder.dim}


@pytest.mark.parametrize(
    "text", ["", " ", "a lone surrogate \ud800 the", "\x00 a", "the cat " * 20_000],
    ids=["empty", "blank", "surrogate", "nul", "very long"],
)  # fmt: skip
def test_odd_texts_are_embedded_like_any_other(embedder: Embedder, text: str) -> None:
    assert np.isfinite(embedder.embed([text, "cat"])).all()
    assert _query(embedder, text).shape == (embedder.dim,)


def test_hundreds_of_texts_get_the_vectors_of_each_text_alone(embedder: Embedder) -> None:
    many = [f"cat {hashlib.sha256(str(n).encode()).hexdigest()}" for n in range(150)]
    together = embedder.embed(many)
    for index in (0, 63, 64, 149):
        np.testing.assert_allclose(together[index], embedder.embed([many[index]])[0], atol=1e-6)


def test_the_fingerprint_names_the_model_without_an_address(embedder: Embedder) -> None:
    assert embedder.name.split("/")[-1] in embedder.fingerprint
    assert "http" not in embedder.fingerprint
