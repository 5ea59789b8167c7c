"""The similarity baseline of a namespace outlives the program, but not its exchanges."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from memory_core.config.limits import Limits
from memory_core.memory import active_embedding_model
from memory_core.memory.long_term_memory import LongTermMemory
from memory_core.providers.embedders.fake import FakeEmbedder
from memory_core.recall import vector_score
from memory_core.recall.vector_score import SimilarityBaseline
from tests.builders import SPACE, asked, derive_all, open_memory, said

SAMPLE = 4
LIMITS = Limits(query_timeout_s=1.0, undo_forget_s=0.0)
ENGLISH = "I have seen {} cats in the house of my neighbour while she was there"
GERMAN = "ich habe heute {} Katzen in dem Haus von meinem Nachbarn gesehen, und er war da"
Restart = Callable[[], LongTermMemory]


@pytest.fixture
def restart(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Restart:
    """Opens the memory, which has ten exchanges in English and German, as after a start."""
    monkeypatch.setattr(vector_score, "SAMPLE", SAMPLE)
    monkeypatch.setattr(active_embedding_model, "SAMPLE", SAMPLE)
    opened: list[LongTermMemory] = []

    def start() -> LongTermMemory:
        for memory in opened:
            memory.close()
        opened.append(open_memory(tmp_path, embedder=FakeEmbedder(dim=16), limits=LIMITS))
        derive_all(opened[-1])
        return opened[-1]

    memory = start()
    for n in range(5):
        for text in ENGLISH, GERMAN:
            memory.remember(SPACE, "talk", said(text.format(n), "?"))
    derive_all(memory)
    return start


def baseline_of(memory: LongTermMemory) -> SimilarityBaseline:
    memory.recall(SPACE, asked("cats?"))
    with memory.open_namespace(SPACE) as opened:
        return opened.active_model.similarity_baseline()


def kept_in(memory: LongTermMemory) -> bytes:
    with memory.open_namespace(SPACE) as opened:
        return opened.query(lambda store: store.vectors.kept_sample())


def test_baseline_after_a_restart_is_read_from_the_kept_sample(
    restart: Restart, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = baseline_of(restart())
    memory = restart()
    with memory.open_namespace(SPACE) as opened:
        monkeypatch.setattr(opened.store.vectors, "embedded_pairs", None)
    after = baseline_of(memory)
    assert np.array_equal(after.user, before.user)
    assert np.array_equal(after.assistant, before.assistant)
    assert after.languages == before.languages != {}


def test_baseline_of_a_forgotten_exchange_is_sampled_again(restart: Restart) -> None:
    before = baseline_of(restart())
    memory = restart()
    with memory.open_namespace(SPACE) as opened:
        sampled = opened.store.vectors.embedded_pairs(SAMPLE)
    memory.forget(SPACE, sampled[:1])
    after = baseline_of(memory)
    assert len(after.user) == SAMPLE
    assert not np.array_equal(after.user, before.user)


def test_dropped_sample_is_taken_and_saved_again_in_the_background(restart: Restart) -> None:
    memory = restart()
    baseline_of(memory)
    with memory.open_namespace(SPACE) as opened:
        sampled = opened.store.vectors.embedded_pairs(SAMPLE)
    memory.edit(SPACE, sampled[0], {"user": "a dog barks"})
    assert kept_in(memory) == b""
    derive_all(memory)
    assert kept_in(memory) != b""


def test_vector_of_a_forgotten_exchange_is_in_no_file(restart: Restart, tmp_path: Path) -> None:
    memory = restart()
    baseline_of(memory)
    with memory.open_namespace(SPACE) as opened:
        sampled = opened.store.vectors.embedded_pairs(SAMPLE)[0]
        vector = opened.store.vectors.get([sampled])[sampled][0]
    assert vector is not None
    stored = vector.astype(np.float16).tobytes()
    assert {"sample", "tail.f16"} <= files_with(stored, tmp_path)
    memory.forget(SPACE, [sampled])
    derive_all(memory)
    assert files_with(stored, tmp_path) == set()


def files_with(data: bytes, folder: Path) -> set[str]:
    return {path.name for path in folder.rglob("*") if path.is_file() and data in path.read_bytes()}
