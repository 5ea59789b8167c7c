"""The words of a query as the memories have them.

A stemmer knows few languages, and each imperfectly: a long word that no memory holds may stand
there in another form. What begins like it stands for it, where only few words do.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from ..storage.contract import MemoryStore
from ..text.bm25 import Corpus

_LEAST_LETTERS = 5
_ENDING = 3  # letters that may differ, of words long enough
_MAX_FORMS = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class QueryExpansion:
    """`words` are the query's, `forms` says for each term of a memory which of these it counts
    as, `corpus` knows how many memories hold each word in any form.
    """

    words: Sequence[str]
    forms: Mapping[str, str]
    corpus: Corpus

    def with_forms(self, words: Iterable[str]) -> list[str]:
        """These, and what stands for them."""
        own = set(words)
        return [term for term, word in self.forms.items() if word in own]


def expand_query(store: MemoryStore, words: Iterable[str]) -> QueryExpansion:
    wanted = list(dict.fromkeys(words))
    corpus = store.corpus(wanted)
    kin = {
        word: _related_forms(store, word)
        for word in wanted
        if not corpus.document_frequency.get(word) and _may_be_inflected(word)
    }
    taken = {term: word for word, terms in kin.items() for term in terms if term not in wanted}
    held = {word: sum(terms.values()) for word, terms in kin.items() if terms}
    return QueryExpansion(
        words=wanted,
        forms={word: word for word in wanted} | taken,
        corpus=replace(corpus, document_frequency={**corpus.document_frequency, **held}),
    )


def _related_forms(store: MemoryStore, word: str) -> Mapping[str, int]:
    beginning = word[: max(_LEAST_LETTERS, len(word) - _ENDING)]
    found = store.terms_with_prefix(beginning, limit=_MAX_FORMS + 1)
    return found if len(found) <= _MAX_FORMS else {}


def _may_be_inflected(word: str) -> bool:
    return len(word) >= _LEAST_LETTERS and word.isalpha()
