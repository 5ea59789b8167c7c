"""Expands the words of a query by related forms that occur in the memories.

A stemmer knows few languages, and each imperfectly. If no memory contains a long word, stored terms
with its beginning count as its forms, provided there are only a few.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from ..storage.contract import FullTextIndex
from ..text.bm25 import Corpus

_LEAST_LETTERS = 5
_ENDING = 3  # letters at the end that may differ
_MAX_FORMS = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class QueryExpansion:
    """The query's `words`, the stored terms that count as each, and corpus statistics.

    `forms` maps each stored term to its word; `corpus` has each word's document frequency over all
    its forms.
    """

    words: Sequence[str]
    forms: Mapping[str, str]
    corpus: Corpus

    def with_forms(self, words: Iterable[str]) -> list[str]:
        """Returns all stored terms that count as one of these words."""
        wanted = set(words)
        return [term for term, word in self.forms.items() if word in wanted]


def expand_query(fulltext: FullTextIndex, words: Iterable[str]) -> QueryExpansion:
    wanted = list(dict.fromkeys(words))
    corpus = fulltext.corpus(wanted)
    related = {
        word: _related_forms(fulltext, word)
        for word in wanted
        if not corpus.document_frequency.get(word) and _may_be_inflected(word)
    }
    extra_forms = {
        term: word for word, terms in related.items() for term in terms if term not in wanted
    }
    frequencies = {word: sum(terms.values()) for word, terms in related.items() if terms}
    return QueryExpansion(
        words=wanted,
        forms={word: word for word in wanted} | extra_forms,
        corpus=replace(corpus, document_frequency={**corpus.document_frequency, **frequencies}),
    )


def _related_forms(fulltext: FullTextIndex, word: str) -> Mapping[str, int]:
    beginning = word[: max(_LEAST_LETTERS, len(word) - _ENDING)]
    found = fulltext.terms_with_prefix(beginning, limit=_MAX_FORMS + 1)
    return found if len(found) <= _MAX_FORMS else {}


def _may_be_inflected(word: str) -> bool:
    return len(word) >= _LEAST_LETTERS and word.isalpha()
