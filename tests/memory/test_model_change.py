"""A change of the embedding model: texts are embedded again, and vectors are never mixed."""

import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pytest

from memory_core.domain.errors import EmbedderUnavailable
from memory_core.memory.embedding import NOT_READY, EmbeddingProgress, embedding_progress
from memory_core.memory.long_term_memory import LongTermMemory
from memory_core.providers.embedders.base import Vectors, unit
from memory_core.providers.embedders.fake import FakeEmbedder
from memory_core.providers.embedders.local_model import LoadedModel, LocalEmbedder
from memory_core.providers.resilient import ResilientEmbedder
from memory_core.recall.query import Query
from memory_core.text.locales import tab_words
from memory_core.ui.tab.common import status
from tests.builders import (
    KIND,
    SPACE,
    Clock,
    asked,
    derive_all,
    open_memory,
    pipeline,
    recalled,
    said,
)
from tests.programs import Program

OpenMemory = Callable[..., LongTermMemory]
PROJECT = Path(__file__).resolve().parents[2]
TEXTS = [f"word{n} is what I said" for n in range(40)]


class Model(FakeEmbedder):
    """A fake model whose vectors depend on its name."""

    def __init__(self, name: str, *, dim: int = 16) -> None:
        super().__init__(dim=dim)
        self.name, self.fingerprint = name, f"{name}:{dim}"
        self.seen: list[str] = []
        self.is_down = False
        self.meanwhile: Callable[[], None] = lambda: None

    def embed(self, texts: Sequence[str]) -> Vectors:
        if self.is_down:
            raise EmbedderUnavailable(f"{self.name} cannot be reached")
        self.seen += texts
        rows = super().embed(texts)
        turned = np.roll(rows, sum(self.name.encode()) % self.dim, axis=1)
        act, self.meanwhile = self.meanwhile, lambda: None
        act()
        return unit(turned)


def filled(opened: OpenMemory, model: Model) -> LongTermMemory:
    memory = opened(embedder=model)
    for text in TEXTS:
        memory.remember(SPACE, "talk", said(text, ""))
    derive_all(memory)
    return memory


def switch(memory: LongTermMemory, model: Model) -> None:
    memory.reconfigure(embedder=model, pipeline=pipeline(), limits=KIND)


def embedded(memory: LongTermMemory) -> int:
    return memory.counts(SPACE)["embedded"]


def stored(memory: LongTermMemory, *, dim: int) -> Vectors:
    """Returns the searchable vectors, one for each memory, in the order of TEXTS."""
    with memory.open_namespace(SPACE) as opened:
        ids = [
            entry.id for entry in opened.query(lambda store: store.catalog.conversation("talk", 99))
        ]
        found = opened.query(lambda store: store.vectors.get(ids))
    return np.array([found[memory_id][0] for memory_id in ids if memory_id in found]).reshape(
        -1, dim
    )


def told(memory: LongTermMemory) -> EmbeddingProgress | None:
    with memory.open_namespace(SPACE) as opened:
        return embedding_progress(opened, memory.embedder)


def degraded(memory: LongTermMemory, query: Query) -> tuple[str, ...]:
    return memory.recall(SPACE, query).degraded_reasons


def test_another_model_is_noticed_and_all_is_embedded_anew(opened: OpenMemory) -> None:
    old, new = Model("old"), Model("new")
    memory = filled(opened, old)
    switch(memory, new)
    derive_all(memory)
    assert sorted(new.seen[1:]) == sorted(TEXTS)
    assert np.allclose(stored(memory, dim=16), Model("new").embed(TEXTS), atol=2e-3)


def test_recall_works_while_the_model_changes(opened: OpenMemory) -> None:
    memory = filled(opened, Model("old"))
    switch(memory, Model("new"))
    assert recalled(memory.recall(SPACE, asked("word7?")))[0] == TEXTS[7]
    assert degraded(memory, asked("word7?")) == ("embeddings are not ready yet: words only",)
    memory.derive_pending(SPACE, batch=10)
    assert embedded(memory) == 10
    assert [recalled(memory.recall(SPACE, asked(it)))[0] for it in ("word7?", "word39?")] == [
        TEXTS[7],
        TEXTS[39],
    ]
    assert degraded(memory, asked("word7?")) == ()


class Broken(LocalEmbedder):
    """A model of this process that cannot be loaded."""

    _package = "nothing"

    def _load(self) -> LoadedModel:
        raise OSError("no route to host")


class Away(FakeEmbedder):
    def embed(self, texts: Sequence[str]) -> Vectors:
        raise EmbedderUnavailable("the server is away")


def test_recall_names_the_fault_of_a_model_that_could_not_be_loaded(opened: OpenMemory) -> None:
    broken = Broken(kind="own", model="broken", allow_download=True, download_mb=1)
    memory = opened(embedder=broken)
    memory.remember(SPACE, "talk", said("word7"))
    assert degraded(memory, asked("word7?")) == (NOT_READY,)
    with pytest.raises(EmbedderUnavailable):
        broken.prepare()
    (told,) = degraded(memory, asked("word7?"))
    assert told.startswith("words only: broken could not be loaded: no route to host")


def test_recall_names_the_fault_of_a_server_that_never_answered(opened: OpenMemory) -> None:
    memory = opened(embedder=ResilientEmbedder(Away()))
    memory.remember(SPACE, "talk", said("word7"))
    assert degraded(memory, asked("word7?")) == (NOT_READY,)
    with pytest.raises(EmbedderUnavailable):
        derive_all(memory)
    assert degraded(memory, asked("word7?")) == ("words only: the server is away",)


def test_progress_of_embedding_is_shown_in_the_tab(opened: OpenMemory) -> None:
    memory = opened(embedder=Model("old"))
    for text in TEXTS:
        memory.remember(SPACE, "talk", said(text, ""))
    assert told(memory) is None
    memory.derive_pending(SPACE, batch=10)
    assert told(memory) == EmbeddingProgress(done=10, total=40, is_reembedding=False)
    derive_all(memory)
    assert told(memory) is None
    switch(memory, Model("new"))
    memory.derive_pending(SPACE, batch=30)
    found = told(memory)
    assert found == EmbeddingProgress(done=30, total=40, is_reembedding=True)
    assert "prepared again: 30 of 40" in status.progress_html(found, tab_words("en"))
    assert "30 / 40" in status.progress_html(found, tab_words("zh"))
    assert status.progress_html(None, tab_words("en")) == ""


@pytest.mark.parametrize("dim", [16, 24])
def test_message_vector_of_the_old_model_is_not_compared_with_new_vectors(
    opened: OpenMemory, dim: int
) -> None:
    old, new = Model("old"), Model("new", dim=dim)
    memory = filled(opened, old)

    def change() -> None:
        switch(memory, new)
        derive_all(memory)

    old.meanwhile = change
    found = memory.recall(SPACE, asked("word7?"))
    assert "words only" in found.degraded_reasons[0]
    assert recalled(found)[0] == TEXTS[7]
    parts = {name for memory in found.kept for name in memory.candidate.parts}
    assert parts.isdisjoint({"turn", "exchange"})


def test_a_model_that_changes_while_the_sample_is_read_breaks_no_recall(
    opened: OpenMemory, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory, new = opened(embedder=Model("old")), Model("new", dim=24)
    for text in TEXTS[:5]:
        memory.remember(SPACE, "talk", said(text, f"so you said {text}"))
    derive_all(memory)
    with memory.open_namespace(SPACE) as namespace_memory:
        pairs = namespace_memory.store.vectors.embedded_pairs

    def change_first(limit: int) -> list[str]:
        monkeypatch.undo()
        switch(memory, new)
        derive_all(memory)
        return pairs(limit)

    monkeypatch.setattr(namespace_memory.store.vectors, "embedded_pairs", change_first)
    found = memory.recall(SPACE, asked("word3?"))
    assert found.degraded_reasons == ("the embedding model has just changed: words only",)
    assert recalled(found)[0] == TEXTS[3]


@pytest.mark.parametrize("dim", [16, 24])
def test_late_vectors_of_the_old_model_are_not_stored_with_the_new_ones(
    opened: OpenMemory, dim: int
) -> None:
    old, new = Model("old"), Model("new", dim=dim)
    memory = filled(opened, old)
    memory.remember(SPACE, "talk", said("one more", ""))

    def change() -> None:
        switch(memory, new)
        with memory.open_namespace(SPACE) as namespace_memory:
            namespace_memory.use_model(new.fingerprint, dim)

    old.meanwhile = change
    memory.derive_pending(SPACE)
    assert embedded(memory) == 0
    derive_all(memory)
    expected = Model("new", dim=dim).embed([*TEXTS, "one more"])
    assert np.allclose(stored(memory, dim=dim), expected, atol=2e-3)


def test_a_model_that_does_not_answer_leaves_the_vectors_as_they_are(opened: OpenMemory) -> None:
    old, new = Model("old"), Model("new")
    memory = filled(opened, old)
    before = stored(memory, dim=16)
    new.is_down = True
    switch(memory, new)
    for _ in range(2):
        with pytest.raises(EmbedderUnavailable):
            memory.derive_pending(SPACE)
    assert recalled(memory.recall(SPACE, asked("word7?")))[0] == TEXTS[7]
    old.seen.clear()
    switch(memory, old)
    derive_all(memory)
    assert set(old.seen) <= {"dimension", "word7?"}
    assert np.array_equal(stored(memory, dim=16), before)


def test_return_to_the_former_model_embeds_only_new_texts(opened: OpenMemory) -> None:
    old = Model("old")
    memory = filled(opened, old)
    switch(memory, Model("new", dim=24))
    memory.remember(SPACE, "talk", said("said meanwhile", ""))
    derive_all(memory)
    memory.close()
    back = Model("old")
    again = opened(embedder=back)
    derive_all(again)
    assert back.seen == ["dimension", "said meanwhile"]
    assert np.allclose(
        stored(again, dim=16), Model("old").embed([*TEXTS, "said meanwhile"]), atol=2e-3
    )


def test_vectors_of_only_the_former_model_are_kept(opened: OpenMemory) -> None:
    memory = filled(opened, Model("first"))
    for name in ("second", "third"):
        switch(memory, Model(name))
        derive_all(memory)
    index = SPACE.folder(memory.root) / "index"
    assert len(list(index.glob("vectors-*"))) == 2
    second = Model("second")
    switch(memory, second)
    derive_all(memory)
    assert second.seen == ["dimension"]


def test_erasing_leaves_no_vector_of_an_earlier_model(opened: OpenMemory) -> None:
    clock = Clock()
    memory = opened(embedder=Model("old"), clock=clock)
    gone = memory.remember(SPACE, "talk", said("my secret", ""))
    memory.remember(SPACE, "talk", said("hello", ""))
    derive_all(memory)
    switch(memory, Model("new"))
    derive_all(memory)
    memory.forget(SPACE, [gone])
    clock.now += KIND.undo_forget_s + 1
    derive_all(memory)
    memory.close()
    kept = [path.read_bytes() for path in SPACE.folder(memory.root).rglob("*") if path.is_file()]
    for model in (Model("old"), Model("new")):
        row = model.embed(["my secret"])[0].astype(np.float16).tobytes()
        assert not any(row in data for data in kept)
        beside = model.embed(["hello"])[0].astype(np.float16).tobytes()
        assert any(beside in data for data in kept) is (model.name == "new")


def test_a_model_used_long_ago_is_dropped_once_the_new_one_is_done(
    opened: OpenMemory, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory = filled(opened, Model("old"))
    switch(memory, Model("new"))
    memory.derive_pending(SPACE, batch=10)
    memory.close()
    monkeypatch.setattr("memory_core.storage.index.local_vectors.KEEP_OTHERS_S", 0.0)
    index = SPACE.folder(memory.root) / "index"
    again = opened(embedder=Model("new"))
    derive_all(again)
    assert len(list(index.glob("vectors-*"))) == 2
    again.close()
    derive_all(opened(embedder=Model("new")))
    assert len(list(index.glob("vectors-*"))) == 1


# Prints the number of embedded texts after each batch, and continues when it gets a line.
EMBEDDER = """
import sys
from pathlib import Path
from tests.builders import SPACE, open_memory
from tests.memory.test_model_change import Model

memory = open_memory(Path(sys.argv[1]), embedder=Model("new"))
while memory.derive_pending(SPACE, batch=3):
    print(memory.counts(SPACE)["embedded"], flush=True)
    input()
"""


def killed_embedder(root: Path, after: int) -> int:
    """Returns the number of texts embedded when the process was killed during the next batch."""
    command = [sys.executable, "-c", EMBEDDER, str(root)]
    with Program(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=PROJECT
    ) as embedder:
        assert embedder.stdin is not None
        assert embedder.stdout is not None
        count = 0
        while count < after:
            count = int(embedder.stdout.readline())
            embedder.stdin.write("\n")
            embedder.stdin.flush()
        embedder.kill()
        return max([count, *(int(line) for line in embedder.stdout if line.endswith("\n"))])


def test_a_killed_re_embedding_goes_on_where_it_was(tmp_path: Path) -> None:
    memory = open_memory(tmp_path, embedder=Model("old"))
    for text in TEXTS:
        memory.remember(SPACE, "talk", said(text, ""))
    derive_all(memory)
    memory.close()
    known = 0
    for _ in range(2):
        known = killed_embedder(tmp_path, after=known + 6)
    new = Model("new")
    again = open_memory(tmp_path, embedder=new)
    again.derive_pending(SPACE, batch=1)
    assert embedded(again) >= known
    assert told(again) == EmbeddingProgress(done=embedded(again), total=40, is_reembedding=True)
    derive_all(again)
    assert len(new.seen) - 1 <= len(TEXTS) - known
    assert np.allclose(stored(again, dim=16), Model("new").embed(TEXTS), atol=2e-3)
    assert recalled(again.recall(SPACE, asked("word7?")))[0] == TEXTS[7]
    assert again.problems() == []
