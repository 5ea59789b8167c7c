"""Renamed and merged memories keep their vectors: nothing is embedded again."""

from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from memory_core.admin import names
from memory_core.domain.namespaces import Namespace
from memory_core.memory.long_term_memory import LongTermMemory
from memory_core.providers.embedders.base import Vectors
from memory_core.providers.embedders.fake import FakeEmbedder
from memory_core.storage.engine import postgres_engine
from memory_core.storage.pauses import ChatPauses
from memory_core.storage.postgres import swap
from tests.builders import asked, derive_all, open_memory, said

MIRA, MIMI, NORA = (Namespace("ana", name) for name in ("mira", "mimi", "nora"))
CAT, DOG = "My cat is called Biscuit.", "My dog is called Comet."
SECRET = "It is pomegranate."


class CountingEmbedder(FakeEmbedder):
    """Keeps the texts that it embedded."""

    def __init__(self) -> None:
        super().__init__()
        self.texts: list[str] = []

    def embed(self, texts: Sequence[str]) -> Vectors:
        self.texts += texts
        return super().embed(texts)

    def embed_query(self, text: str, *, timeout_s: float) -> Vectors:
        row: Vectors = super().embed([text])[0]
        return row


@pytest.fixture
def memory(own_dsn: str, tmp_path: Path) -> LongTermMemory:
    engine = postgres_engine(own_dsn, tmp_path / "memories", time_limit_s=10)
    return open_memory(tmp_path, open_store=engine, embedder=CountingEmbedder())


def vectors(memory: LongTermMemory, space: Namespace, memory_id: str) -> list[list[float]]:
    with memory.open_namespace(space) as opened:
        found = opened.query(lambda store: store.vectors.get([memory_id]))
    return [side.tolist() for side in found.get(memory_id, ()) if side is not None]


def rename(memory: LongTermMemory) -> None:
    names.rename(memory, ChatPauses(memory.root, memory.shared.files), MIRA, MIMI)


def merge(memory: LongTermMemory) -> None:
    names.merge(memory, ChatPauses(memory.root, memory.shared.files), MIRA, NORA)


@pytest.mark.parametrize(("act", "target"), [(rename, MIMI), (merge, NORA)])
def test_a_new_name_needs_no_new_embeddings(
    act: Callable[[LongTermMemory], None],
    target: Namespace,
    memory: LongTermMemory,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(swap, "_VECTOR_BATCH", 3)  # so that there are several
    embedder = memory.embedder
    assert isinstance(embedder, CountingEmbedder)
    memory.remember(NORA, "talk", said(DOG))
    cat = memory.remember(MIRA, "talk", said(CAT))
    for number in range(4):
        memory.remember(MIRA, "talk", said(f"Sentence number {number}."))
    gone = memory.remember(MIRA, "talk", said(SECRET))
    for space in (NORA, MIRA):
        derive_all(memory, space)
    memory.forget(MIRA, [gone])
    before, embedded = vectors(memory, MIRA, cat), len(embedder.texts)
    assert before != []
    act(memory)
    derive_all(memory, target)
    assert embedder.texts[embedded:] == []
    assert vectors(memory, target, cat) == before
    assert memory.counts(target)["lacking"] == 0
    assert CAT in str(memory.recall(target, asked("What is my cat called?")))
    memory.unforget(target, gone)
    derive_all(memory, target)
    assert SECRET in embedder.texts[embedded:]  # forgotten words left no vector behind
    memory.close()
