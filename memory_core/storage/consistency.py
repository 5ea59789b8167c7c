"""Compares the records in a store with those that the log's events produce."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from math import isnan

import numpy as np

from .contract import MAX_TERM_COUNT
from .index.catalog.rows import terms_of
from .log.projection import MemoryRecord, MemoryStatus
from .store import MemoryStore

_SAMPLE, _COUNTED = 16, 256  # records of a batch: to search for; to count the words of
_RARE = 200

Inconsistencies = dict[str, list[str]]


def find_inconsistencies(store: MemoryStore, folded: Mapping[str, MemoryRecord]) -> Inconsistencies:
    """Returns problem → ids of memories that have it, such as "are missing"."""
    found: Inconsistencies = {}
    for problem, memory_id in _find_inconsistencies(store, folded):
        found.setdefault(problem, []).append(memory_id)
    return found


def _find_inconsistencies(
    store: MemoryStore, folded: Mapping[str, MemoryRecord]
) -> Iterator[tuple[str, str]]:
    stored = store.catalog.get(list(folded))
    passages = store.fulltext.passages(list(folded), [])
    columns = (passages.ids, passages.said_at.tolist(), passages.lengths.tolist())
    weighed = {memory_id: (said, length) for memory_id, said, length in zip(*columns, strict=True)}
    searched = {memory_id: weighed[memory_id] for memory_id in passages.ids[: passages.found_count]}
    vectors = store.vectors.get(folded.keys())
    for memory_id, entry in folded.items():
        if memory_id not in stored:
            yield "are missing", memory_id
        elif stored[memory_id] != entry:
            yield "are not what their lines say", memory_id
        if entry.status is not MemoryStatus.LIVE and (
            memory_id in searched or memory_id in vectors
        ):
            yield "can be found, but are gone", memory_id
        elif entry.status is MemoryStatus.LIVE and (
            difference := _difference(entry, searched.get(memory_id))
        ):
            yield difference, memory_id
    for memory_id in _ids_with_bad_vectors(vectors):
        yield "have a vector that is not of length one", memory_id
    live = {memory_id: folded[memory_id] for memory_id in folded if memory_id in searched}
    yield from _find_wrong_counts(store, live)
    yield from _find_unsearchable(store, live)


def _difference(entry: MemoryRecord, weighed: tuple[float, int] | None) -> str:
    if weighed is None:
        return "cannot be found by words"
    said, length = weighed
    ts = entry.memory.ts
    if not (said == ts or (ts is None and isnan(said))):
        return "have another time"
    is_as_long = length == sum(map(len, terms_of(entry.memory)))
    return "" if is_as_long else "are found by other words than their own"


def _find_wrong_counts(
    store: MemoryStore, live: Mapping[str, MemoryRecord]
) -> Iterator[tuple[str, str]]:
    """Compares the term counts of an evenly picked sample."""
    for memory_id in list(live)[:: max(1, len(live) // _COUNTED)]:
        sides = [Counter(words_of_side) for words_of_side in terms_of(live[memory_id].memory)]
        words = list({word for side in sides for word in side})
        counts = store.fulltext.term_counts(store.fulltext.passages([memory_id], []), words)[
            :, 0
        ].tolist()
        if counts != [[min(MAX_TERM_COUNT, side[word]) for word in words] for side in sides]:
            yield "are found by other words than their own", memory_id


def _ids_with_bad_vectors(vectors: Mapping[str, Sequence[object]]) -> Iterator[str]:
    for memory_id, pair in vectors.items():
        if not all(row is None or _is_unit(row) for row in pair):
            yield memory_id


def _is_unit(row: object) -> bool:
    return bool(abs(float(np.linalg.norm(np.asarray(row))) - 1.0) < 0.05)


def _find_unsearchable(
    store: MemoryStore, searched: Mapping[str, MemoryRecord]
) -> Iterator[tuple[str, str]]:
    """Searches for an evenly picked sample by its rarest words, unless these are common."""
    picked = list(searched)[:: max(1, len(searched) // _SAMPLE)]
    words = {memory_id: list(chain(*terms_of(searched[memory_id].memory))) for memory_id in picked}
    frequency = store.fulltext.corpus(
        {word for own_words in words.values() for word in own_words}
    ).document_frequency
    for memory_id, own_words in words.items():
        rarest = min(own_words, key=lambda word: frequency[word], default=None)
        if rarest is None or frequency[rarest] > _RARE:
            continue
        if memory_id not in store.fulltext.search([rarest], limit=4 * _RARE):
            yield "are not found by their words", memory_id
