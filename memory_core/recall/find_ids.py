"""Finds the memories that may answer a query: by its words, by its vector and by its dates."""

from itertools import chain

from ..storage.contract import Catalog, FullTextIndex, SearchFilter, VectorIndex
from .query import Query
from .query_expansion import QueryExpansion
from .vector_score import QueryVector


def find_by_words(
    fulltext: FullTextIndex,
    query: Query,
    expansion: QueryExpansion,
    *,
    limit: int,
    only: SearchFilter,
) -> list[str]:
    """Returns the ids found by words, those of the message itself first."""
    most = max(1, 2 * limit // max(1, len(query.parts)))
    term_lists = [
        expansion.with_forms(words) for words in (*query.parts, query.context_words, query.topics)
    ]
    found = [fulltext.search(terms, limit=most, only=only) for terms in term_lists if terms]
    return list(dict.fromkeys(chain.from_iterable(found)))


def find_by_vector(
    vectors: VectorIndex, query_vector: QueryVector | None, *, limit: int, only: SearchFilter
) -> list[str]:
    """Returns the ids of the nearest memories; none without a vector."""
    if query_vector is None:
        return []
    return vectors.search(query_vector.vector, limit=limit, only=only)


def find_by_dates(catalog: Catalog, query: Query, *, limit: int, only: SearchFilter) -> list[str]:
    """Returns ids of memories that are from the query's dates or mention them."""
    ranges = [(dates.start.timestamp(), dates.end.timestamp()) for dates in query.dates]
    found = (catalog.search_dates(since, until, limit=limit, only=only) for since, until in ranges)
    return list(dict.fromkeys(chain.from_iterable(found)))
