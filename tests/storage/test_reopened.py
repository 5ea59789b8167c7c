"""A namespace that was closed in favour of others is recalled from at once when it reopens."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from memory_core.domain.namespaces import Namespace
from memory_core.memory.long_term_memory import LongTermMemory
from memory_core.memory.namespace_memory import NamespaceMemory
from memory_core.providers.embedders.fake import FakeEmbedder
from memory_core.recall.query import Query
from memory_core.recall.results import Recall
from memory_core.storage.index.local import LocalStore
from tests.builders import KIND, SPACE, asked, derive_all, pipeline, recalled, said
from tests.conftest import OpenMemory

OTHER = Namespace("ben", "mira")
TEXTS = [f"word{n} is what I said" for n in range(40)]
NOT_READY = ("embeddings are not ready yet: words only",)
PATIENCE_S = 20.0


@pytest.fixture
def memory(opened: OpenMemory) -> LongTermMemory:
    """A memory that keeps one namespace open at a time: here the other one."""
    memory = opened(embedder=FakeEmbedder())
    memory._pool.max_open = 1
    for text in TEXTS:
        memory.remember(SPACE, "talk", said(text, ""))
    derive_all(memory)
    memory.remember(OTHER, "talk", said("hello"))
    assert memory.open_counts() == (1, 1)
    return memory


@pytest.fixture
def beside() -> Iterator[ThreadPoolExecutor]:
    with ThreadPoolExecutor(1) as pool:
        yield pool


def query() -> Query:
    return asked("word7?")


def is_by_meaning(found: Recall) -> bool:
    parts = {name for scored in found.kept for name in scored.candidate.parts}
    return found.degraded_reasons == () and "turn" in parts


def test_reopened_store_is_searched_by_vectors_at_once(memory: LongTermMemory) -> None:
    found = memory.recall(SPACE, query())
    assert recalled(found)[0] == TEXTS[7]
    assert is_by_meaning(found)


def test_recall_of_a_reopened_store_does_not_wait_for_a_writer(
    memory: LongTermMemory, beside: ThreadPoolExecutor
) -> None:
    with memory.open_namespace(SPACE) as opened, opened._lock:
        found = beside.submit(memory.recall, SPACE, query()).result(PATIENCE_S)
    assert is_by_meaning(found)


def test_reopened_store_is_searched_by_words_while_another_program_writes(
    memory: LongTermMemory,
) -> None:
    other = NamespaceMemory(SPACE.folder(memory.root), open_store=LocalStore)
    other.remember("talk", said("from elsewhere"))
    found = memory.recall(SPACE, query())
    other.close()
    assert recalled(found)[0] == TEXTS[7]
    assert found.degraded_reasons == NOT_READY
    derive_all(memory)
    assert memory.recall(SPACE, query()).degraded_reasons == ()


def test_reopened_store_does_not_use_a_model_that_has_not_answered_yet(
    memory: LongTermMemory,
) -> None:
    other = FakeEmbedder(dim=24)
    memory.reconfigure(embedder=other, pipeline=pipeline(), limits=KIND)
    assert memory.recall(SPACE, query()).degraded_reasons == NOT_READY
    derive_all(memory, OTHER)
    assert memory.recall(SPACE, query()).degraded_reasons == ()
