"""Searches one namespace by words and by vectors, also while its embedding model changes."""

from dataclasses import replace

from ..providers.embedders.base import Embedder
from ..recall.pipeline import Pipeline
from ..recall.query import Query
from ..recall.search import SearchResult
from ..recall.vector_score import QueryVector
from ..storage.contract import SearchFilter
from .chat_notes import log_name_of, notes_for_other_chats
from .embedding import CHANGED, OF_ANOTHER_MODEL, EmbeddingWorker
from .namespace_memory import NamespaceMemory

NO_EMBEDDER = "no embedder: words only"


def narrowed_filter(opened: NamespaceMemory, query: Query, until_seq: int | None) -> SearchFilter:
    """Returns the query's own filter, narrowed to events up to this seq and its conversation."""
    result, log = query.search_filter, log_name_of(query.conversation)
    if until_seq is not None:
        result = replace(result, until_seq=until_seq)
    return replace(result, applies_in=log) if notes_for_other_chats(opened, log) else result


def search_namespace(
    opened: NamespaceMemory,
    query: Query,
    *,
    pipeline: Pipeline,
    worker: EmbeddingWorker,
    embedder: Embedder | None,
    timeout_s: float,
) -> tuple[SearchResult, str]:
    """Returns the candidates, and the reason if no vectors were compared.

    Never returns a memory that was forgotten before or during the search.
    """
    hidden, changes = opened.hidden_ids(), opened.active_model.changes
    try:
        vector, fault = (
            worker.embed_query(opened, embedder, query, timeout_s)
            if embedder
            else (None, NO_EMBEDDER)
        )
        result = _search(opened, pipeline, query, vector)
        is_stale = vector is not None and opened.active_model.changes != changes
    except OF_ANOTHER_MODEL:
        is_stale = opened.active_model.changes != changes
        if not is_stale:
            raise
    if is_stale:
        result, fault = _search(opened, pipeline, query, None), CHANGED
    return result.excluding(hidden | opened.hidden_ids()), fault


def _search(
    opened: NamespaceMemory, pipeline: Pipeline, query: Query, vector: QueryVector | None
) -> SearchResult:
    return opened.query(
        lambda store: pipeline.search(store, query, vector, only=query.search_filter)
    )
