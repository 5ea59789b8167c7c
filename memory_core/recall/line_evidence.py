"""Drops candidates that say little and that hardly anything of their own brought in.

A passage also scores by the words of its neighbours and of its session: "In the front pocket" may
answer what the exchange before it asks. Such a score is lent. A candidate with a lent score stays
as a short line if it has something to tell, which greetings, thanks and "good night" have not.

Common words weigh little, so that "See you tomorrow, sleep well" counts for less than its length.
Names and facts are rare words. In a language without a table of common words, every word counts.
"""

import re
import sys
from collections.abc import Container, Iterable, Sequence
from math import inf

from ..domain.records import Memory
from ..infra.lru_cache import memoize
from ..text.common_words import word_weights
from ..text.search_terms import drop_paired_characters, terms
from .cue import idle
from .results import Candidate, Dropped, DropReason
from .unanswered_questions import asks_in_vain

# With less of its own than both of these, a candidate's score is lent.
_OF_THE_BEST, _OF_ITS_SCORE = 0.15, 0.5
_WEAK = 0.5  # of the best score
_LENT = "only its neighbours fit, and it says little itself"
_SAYS_LITTLE = "it says little, and fits less well than the best"
_LEAST_WORDS = 2.0  # rare words in an exchange that can be understood alone
_LEAST_IDLE_WORDS = 7.0  # the same if it is put like small talk
_PER_WORD = 1.5  # characters for a word, in scripts without blanks, where a character is a term
_ANSWER_SHARE = 0.3  # weight of an answer's words: what the user tells is what there is to know
_UNSPACED = re.compile("[\u3040-\u30ff\u3400-\u9fff]")
_MAX_CHARS = 2_000
_CACHE_CHARS = 500_000


def drop_lent(
    ordered: Sequence[Candidate],
    *,
    exempt: Container[str],
    may_be_weak: bool = False,
    places: int = sys.maxsize,
) -> tuple[list[Candidate], list[Dropped]]:
    """Splits off candidates that say little and whose score is lent or weak.

    The first candidate stays, and so do memories in `exempt`. With `may_be_weak`, which is for
    questions about a day, weak ones stay, too: any word of that day may be asked for.

    Judging ends, and the rest stays, once exchanges fill all `places` and the best candidate, by
    which the caller measures the others, is among those that stay.
    """
    best, best_kept = best_score(ordered), -inf
    kept: list[Candidate] = []
    dropped: list[Dropped] = []
    for index, candidate in enumerate(ordered):
        if places <= 0 and best_kept == best:
            kept += ordered[index:]
            break
        may_go = index > 0 and candidate.memory.id not in exempt
        if may_go and (detail := _objection(candidate, best, may_be_weak=may_be_weak)):
            dropped.append(Dropped(candidate=candidate, reason=DropReason.GATE, detail=detail))
            continue
        kept.append(candidate)
        best_kept = max(best_kept, candidate.score)
        if candidate.memory.derived is None and candidate.memory.id not in exempt:
            places -= 1  # derived memories may share a place, and exempt ones come last
    return kept, dropped


def _objection(candidate: Candidate, best: float, *, may_be_weak: bool) -> str:
    """Returns why a candidate is no line, nothing if it may be one."""
    if is_lent(candidate, best):
        return _LENT if says_little(candidate.memory) else ""
    if may_be_weak:
        return ""
    is_weak = candidate.score < _WEAK * best
    judged = says_little if is_weak else _asks_in_vain  # which is part of saying little
    return _SAYS_LITTLE if judged(candidate.memory) else ""


def best_score(candidates: Iterable[Candidate]) -> float:
    return max([candidate.score for candidate in candidates], default=0.0)


def is_lent(candidate: Candidate, best: float) -> bool:
    """Returns whether hardly any of a score is the candidate's own; `best` is the best score."""
    own = candidate.own_score
    return own is not None and own < min(_OF_THE_BEST * best, _OF_ITS_SCORE * candidate.score)


def says_little(memory: Memory) -> bool:
    """Returns whether an exchange is too poor in words to tell anything without its neighbours.

    A question without an answer tells nothing, however many words it has.
    """
    exchange = memory.exchange
    if exchange is None:
        return False
    if _asks_in_vain(memory):
        return True
    words = _content_of(exchange.user[:_MAX_CHARS], exchange.assistant[:_MAX_CHARS])
    return words < _LEAST_WORDS or (words < _LEAST_IDLE_WORDS and idle(exchange.user) > 0.0)


def _asks_in_vain(memory: Memory) -> bool:
    return memory.exchange is not None and asks_in_vain(memory.exchange)


@memoize(chars=_CACHE_CHARS)
def _content_of(user: str, answer: str) -> float:
    """Returns how many rare words an exchange is worth, those of the answer in part."""
    told, answered = (drop_paired_characters(terms(side)) for side in (user, answer))
    both = f"{user}\n{answer}"  # a few words alone seldom show their language
    weights = word_weights(told | answered, both)
    words = sum(map(weights.__getitem__, told))
    words += _ANSWER_SHARE * sum(map(weights.__getitem__, answered))
    return words / _PER_WORD if _UNSPACED.search(user) else words
