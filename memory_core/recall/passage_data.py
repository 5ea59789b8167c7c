"""Loads from the store all that it knows of the passages that a search scores."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from ..storage.contract import Column, PassageColumns
from ..storage.store import MemoryStore
from .derived_memories import DerivedHits
from .find_ids import QueryExpansion
from .informative import probability_to_inform
from .query import Query
from .uninformative import long_sides
from .vector_score import QueryVector


@dataclass(frozen=True, slots=True, kw_only=True)
class PassageData:
    """The passages and all that the store knows of them for one query.

    `term_counts`: shape (2, passages, terms). `names` and `mentioned_times`: by memory id, loaded
    only if the query needs them. `cosines`: shape (passages, 2), nan where there is no vector.
    `informative`: the probability that each informs, shape (passages,), or None if unknown.
    `derived`: those that were made of other memories.
    """

    passages: PassageColumns
    term_counts: Column
    names: Mapping[str, tuple[str, str]]
    mentioned_times: Mapping[str, Sequence[tuple[float, float]]]
    cosines: Column
    informative: Column | None
    derived: DerivedHits


def load_passages(
    store: MemoryStore,
    query: Query,
    query_vector: QueryVector | None,
    passages: PassageColumns,
    expansion: QueryExpansion,
    derived: DerivedHits,
) -> PassageData:
    """Loads what the query needs of the passages; `derived` are found already."""
    ids = passages.ids
    no_cosines = np.full((passages.weighed_count, 2), np.nan)
    return PassageData(
        passages=passages,
        term_counts=store.fulltext.term_counts(passages, list(expansion.forms)),
        names=store.fulltext.speaker_names(ids) if query.addressed_speaker is not None else {},
        mentioned_times=store.fulltext.mentioned_times(passages) if query.dates else {},
        cosines=store.vectors.cosines(passages, query_vector.vector)
        if query_vector
        else no_cosines,
        informative=probability_to_inform(query_vector.informative, store.vectors, passages)
        if query_vector and query_vector.informative
        else None,
        derived=derived,
    )


def with_short_sides_blank(store: MemoryStore, data: PassageData, min_letters: int) -> PassageData:
    """Returns the data without the counts and cosines of sides shorter than `min_letters`."""
    ids = data.passages.ids
    long = long_sides(ids, store.catalog.get(ids), min_letters)
    cosines = np.where(long[: len(data.cosines)], data.cosines, np.nan)
    return replace(data, term_counts=data.term_counts * long.T[:, :, None], cosines=cosines)
