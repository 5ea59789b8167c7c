"""Recognises newer versions of a fact, and moves them before the older ones.

Five signals are weighed: the newer memory's share of the older one's score, the rare words that
both have ("Lindqvist"), whether both have a number or neither has, whether the newer one tells of
a change ("they moved it to Friday"), and whether the message asks about the present. The weights
were chosen on the fitted histories of everyday chat, and on a second set in the same format that
is not part of the project: no figure on either is an unseen one. See docs/recall.md.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ..infra.lru_cache import memoize
from ..text.change_cues import asks_about_now, tells_of_a_change
from ..text.search_terms import drop_contained_pairs, terms
from .query import Query
from .results import Candidate

STRONG_LINK = 1.5  # weight of shared rare words from which two texts have one subject
_BIAS = -3.95
_SCORE_RATIO, _MOST_RATIO = 3.3, 2.0
_RARE_WORDS = 0.55
_SAME_NUMBERS = 0.6  # both have a digit, or neither
_CHANGE, _CHANGE_NOW, _CHANGE_OF_THE_SUBJECT = 0.65, 1.0, 1.1
_DAY_S = 86_400.0  # messages of one session are not versions of each other
_MAX_CHARS = 2_000  # letters that are compared
_CACHE_CHARS = 500_000
_DIGIT = re.compile(r"\d")


@dataclass(frozen=True, slots=True, kw_only=True)
class VersionScorer:
    """Scores pairs of memories for one message.

    `rare_words`: the weights, 0 … 1, of words that few memories contain. `asks_now`: the message
    asks about the present.
    """

    rare_words: Mapping[str, float]
    asks_now: bool

    def odds(self, newer: Candidate, older: Candidate) -> float:
        """Returns the logarithm of the odds that `newer` replaces `older`."""
        link = self.link(newer, older)
        ratio = newer.score / older.score if older.score > 0.0 else 0.0
        changes = tells_of_a_change(own_words(newer))
        return (
            _BIAS
            + _SCORE_RATIO * min(_MOST_RATIO, ratio)
            + _RARE_WORDS * link
            + _SAME_NUMBERS * (_has_digit(newer) == _has_digit(older))
            + _CHANGE * changes
            + _CHANGE_NOW * (changes and self.asks_now)
            + _CHANGE_OF_THE_SUBJECT * (changes and link >= STRONG_LINK)
        )

    def link(self, newer: Candidate, older: Candidate) -> float:
        """Returns the summed weight of the rare words that the newer one shares with the older."""
        shared = text_terms(own_words(newer)) & text_terms(older.memory.text)
        return sum(self.rare_words.get(word, 0.0) for word in shared)


def asks_for_the_present(query: Query) -> bool:
    """Returns whether newer versions answer the message better than older ones."""
    return not (query.dates or query.asks_about_the_past)


def version_scorer(query: Query, rare_words: Mapping[str, float]) -> VersionScorer:
    return VersionScorer(rare_words=rare_words, asks_now=asks_about_now(query.text))


def is_newer(newer: Candidate, older: Candidate) -> bool:
    """Returns whether one was said at least a day after the other."""
    if newer.memory.ts is None:
        return False
    return newer.memory.ts - (older.memory.ts or 0.0) >= _DAY_S


def newest_first(ordered: Sequence[Candidate]) -> list[Candidate]:
    """Returns the candidates with the likeliest newer version of each right before it."""
    result = list(ordered)
    for older in ordered:
        place = result.index(older)
        newer = max(
            (candidate for candidate in result if older.memory.id in candidate.supersedes),
            key=lambda candidate: candidate.supersedes[older.memory.id],
            default=older,
        )
        if result.index(newer) > place:
            result.remove(newer)
            result.insert(place, newer)
    return result


def own_words(candidate: Candidate) -> str:
    """Returns what the user said, or the text of a memory that is no exchange."""
    exchange = candidate.memory.exchange
    return exchange.user if exchange else candidate.memory.text


@memoize(chars=_CACHE_CHARS)
def text_terms(text: str) -> frozenset[str]:
    """Returns the search terms of a text; of Chinese characters that form pairs, the pairs."""
    return drop_contained_pairs(terms(text[:_MAX_CHARS]))


def _has_digit(candidate: Candidate) -> bool:
    return bool(_DIGIT.search(own_words(candidate)[:_MAX_CHARS]))
