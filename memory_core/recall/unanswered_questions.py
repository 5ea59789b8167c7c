"""Splits off earlier questions like the message that got no answer.

"What's my dog called" has all words of the same question today, but if its answer was "I'm not
sure you ever told me", it tells nothing. Before the gate it would set the best score, by which the
statement that answers the question is judged and dropped.
"""

from collections.abc import Sequence

from ..infra.lru_cache import memoize
from ..text.cleaning import clean_answer
from ..text.common_words import word_weights
from ..text.questions import asks
from ..text.search_terms import indivisible_terms
from ..text.sentences import each_sentence
from .not_knowing import ignorance_terms, tells_nothing
from .results import Candidate, Dropped, DropReason

_DETAIL = "a question like this one, which got no answer"
_MOST_NEW = 1.1  # rare words of its own: "Did I say that Tom got married?" may tell something
_CACHE_CHARS = 500_000


def split_unanswered(
    text: str, candidates: Sequence[Candidate]
) -> tuple[list[Candidate], list[Dropped]]:
    """Splits off questions with hardly a new word, and an answer that says "I do not know"."""
    known = ignorance_terms() | indivisible_terms(text)
    left: list[Candidate] = []
    dropped: list[Dropped] = []
    for candidate in candidates:
        if _is_unanswered(candidate, known):
            found = Dropped(candidate=candidate, reason=DropReason.GATE, detail=_DETAIL)
            dropped.append(found)
        else:
            left.append(candidate)
    return left, dropped


def _is_unanswered(candidate: Candidate, known: frozenset[str]) -> bool:
    exchange = candidate.memory.exchange
    if exchange is None or not _only_asks(exchange.user):
        return False
    asked = indivisible_terms(exchange.user)
    new = asked - known
    if len(new) > 1 and sum(word_weights(new, exchange.user).values()) > _MOST_NEW:
        return False
    return tells_nothing(clean_answer(exchange.assistant), known | asked)


@memoize(chars=_CACHE_CHARS)
def _only_asks(text: str) -> bool:
    """Returns whether each sentence is a question."""
    return all(map(asks, each_sentence(text)))
