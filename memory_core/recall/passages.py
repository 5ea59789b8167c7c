"""Finds the passages that may answer a query, by its words and dates, and loads them.

Words are expanded by related forms that occur in the memories. A stemmer knows few languages, and
each imperfectly. If no memory contains a long word, stored terms with its beginning count as its
forms, provided there are only a few. If there are none, the word may be misspelt, so terms that
differ by one slip count. Short and long forms of a word ("bday") count as the same. Words related
in meaning are searched beside them.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain, islice

import numpy as np

from ..storage.contract import Catalog, Column, FullTextIndex, PassageColumns, SearchFilter
from ..storage.store import MemoryStore
from ..text.bm25 import Corpus
from ..text.lexicon import may_be_misspelt, meant_terms, related_words, same_words
from .derived_memories import DerivedHits
from .informative import probability_to_inform
from .query import Query
from .uninformative import long_sides
from .vector_score import QueryVector

_MIN_LETTERS = 5
_ENDING = 3  # letters at the end that may differ
_MAX_FORMS = 4
_MAX_MISSPELT, _MAX_MEANT = 6, 2  # words looked at, terms that one may stand for
_MAX_RELATED = 12  # related words of one word
_FEW_MEMORIES, _RARE = 8, 32  # a related word in more than 8 and a 32nd of all tells too little


@dataclass(frozen=True, slots=True, kw_only=True)
class QueryExpansion:
    """The query's `words`, the stored terms that count as each, and corpus statistics.

    `forms` maps each stored term to its word; `corpus` has each word's document frequency over all
    its forms. `related` has stored words of a similar meaning, which are among `words`, for words
    of the message, with their nearness, 0 … 1.
    """

    words: Sequence[str]
    forms: Mapping[str, str]
    corpus: Corpus
    related: Mapping[str, Mapping[str, float]]


def expand_query(
    fulltext: FullTextIndex, query: Query, *, with_related_words: bool
) -> QueryExpansion:
    wanted = list(dict.fromkeys([*query.words, *query.context_words, *query.topics]))
    near = related_words(query.words, query.text) if with_related_words else {}
    same = {word: same_words(word) for word in wanted}
    others = chain(chain.from_iterable(near.values()), chain.from_iterable(same.values()))
    corpus = fulltext.corpus(list({*wanted, *others}))
    frequency = corpus.document_frequency
    stored = _other_stored_forms(fulltext, query, same, frequency)
    extra_forms = {
        term: word for word, terms in stored.items() for term in terms if term not in same
    }
    if stored:
        counts = {
            word: frequency.get(word, 0) + sum(terms.values()) for word, terms in stored.items()
        }
        corpus = replace(corpus, document_frequency={**frequency, **counts})
    related = _rare_stored_words(near, corpus)
    words = list(dict.fromkeys([*wanted, *chain.from_iterable(related.values())]))
    forms = extra_forms | dict(zip(words, words, strict=True))
    return QueryExpansion(words=words, forms=forms, corpus=corpus, related=related)


def _other_stored_forms(
    fulltext: FullTextIndex,
    query: Query,
    same: Mapping[str, Sequence[str]],
    frequency: Mapping[str, int],
) -> dict[str, Mapping[str, int]]:
    """Returns for each word of the query the other stored terms that count as it, if any.

    The values are their document frequencies. `same` has the short or long forms of every word.
    """
    stored: dict[str, Mapping[str, int]] = {
        word: {term: frequency[term] for term in terms if frequency.get(term)}
        for word, terms in same.items()
    }
    unknown = [word for word, terms in stored.items() if not (terms or frequency.get(word))]
    stored |= {word: _related_forms(fulltext, word) for word in unknown}
    stored |= _meant_terms(fulltext, query, [word for word in unknown if not stored[word]])
    return {word: terms for word, terms in stored.items() if terms}


def _rare_stored_words(
    related: Mapping[str, Mapping[str, float]], corpus: Corpus
) -> dict[str, dict[str, float]]:
    """Returns the nearest stored ones of the related words, without those of many memories."""
    most, frequency = max(_FEW_MEMORIES, corpus.size // _RARE), corpus.document_frequency
    kept = {
        word: {term: nearness for term, nearness in terms.items() if 0 < frequency[term] <= most}
        for word, terms in related.items()
    }
    return {
        word: dict(islice(terms.items(), _MAX_RELATED)) for word, terms in kept.items() if terms
    }


def _related_forms(fulltext: FullTextIndex, word: str) -> Mapping[str, int]:
    if len(word) < _MIN_LETTERS or not word.isalpha():
        return {}
    beginning = word[: max(_MIN_LETTERS, len(word) - _ENDING)]
    found = fulltext.terms_with_prefix(beginning, limit=_MAX_FORMS + 1)
    return found if len(found) <= _MAX_FORMS else {}


def _meant_terms(
    fulltext: FullTextIndex, query: Query, unknown: Sequence[str]
) -> dict[str, Mapping[str, int]]:
    """Returns the stored terms that each misspelt word may stand for, if there are only a few."""
    misspelt = list(filter(may_be_misspelt, unknown))[:_MAX_MISSPELT]
    if not misspelt:
        return {}
    spellings = meant_terms(misspelt, query.text)
    frequency = fulltext.corpus(list(chain.from_iterable(spellings.values()))).document_frequency
    found = {
        word: {term: frequency[term] for term in terms if frequency.get(term)}
        for word, terms in spellings.items()
    }
    return {word: terms for word, terms in found.items() if 0 < len(terms) <= _MAX_MEANT}


def find_by_words(
    fulltext: FullTextIndex,
    query: Query,
    expansion: QueryExpansion,
    *,
    limit: int,
    only: SearchFilter,
) -> list[str]:
    """Returns the ids found by words, those of the message itself first."""
    per_list = max(1, 2 * limit // max(1, len(query.parts)))
    related = chain.from_iterable(expansion.related.values())
    groups = map(set[str], (*query.parts, query.context_words, query.topics, related))
    forms = expansion.forms.items()
    term_lists = [[term for term, word in forms if word in words] for words in groups]
    found = [fulltext.search(terms, limit=per_list, only=only) for terms in term_lists if terms]
    return list(dict.fromkeys(chain.from_iterable(found)))


def find_by_dates(catalog: Catalog, query: Query, *, limit: int, only: SearchFilter) -> list[str]:
    """Returns ids of memories that are from the query's dates or mention them."""
    ranges = [(dates.start.timestamp(), dates.end.timestamp()) for dates in query.dates]
    found = (catalog.search_dates(since, until, limit=limit, only=only) for since, until in ranges)
    return list(dict.fromkeys(chain.from_iterable(found)))


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
