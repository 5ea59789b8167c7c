"""One store searched by a pipeline, as the memory searches each of its namespaces."""

from memory_core.recall.pipeline import Pipeline
from memory_core.recall.query import Query
from memory_core.recall.results import Recall
from memory_core.recall.vector_score import QueryVector
from memory_core.storage.store import MemoryStore


def recalled(
    pipeline: Pipeline, store: MemoryStore, query: Query, vector: QueryVector | None = None
) -> Recall:
    return pipeline.choose(query, [pipeline.search(store, query, vector)])
