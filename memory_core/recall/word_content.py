"""Recognises exchanges that hold hardly any word of their own: greetings, thanks, "good night".

Common words weigh little, so that "See you tomorrow, sleep well" counts for less than its length.
Names and facts are rare words. In a language without a table of common words, every word counts.
"""

import re

from ..domain.records import Exchange, Memory
from ..infra.lru_cache import memoize
from ..text.common_words import word_weights
from ..text.search_terms import drop_contained_pairs, terms
from .cue import idle

_LEAST_WORDS = 2.0  # rare words in an exchange that can be understood alone
_LEAST_IDLE_WORDS = 7.0  # the same if it is put like small talk
_PER_WORD = 1.5  # characters for a word, in scripts without blanks, where a character is a term
_ANSWER_SHARE = 0.3  # weight of an answer's words: what the user tells is what there is to know
_UNSPACED = re.compile("[\u3040-\u30ff\u3400-\u9fff]")
_MAX_CHARS = 2_000
_CACHE_CHARS = 500_000


def says_little(memory: Memory) -> bool:
    """Returns whether an exchange is too poor in words to tell anything without its neighbours."""
    exchange = memory.exchange
    if exchange is None:
        return False
    words = _content_of(exchange)
    return words < _LEAST_WORDS or (words < _LEAST_IDLE_WORDS and idle(exchange.user) > 0.0)


def _content_of(exchange: Exchange) -> float:
    user, answer = exchange.user[:_MAX_CHARS], exchange.assistant[:_MAX_CHARS]
    both = f"{user}\n{answer}"  # a few words alone seldom show their language
    words = _content(user, both) + _ANSWER_SHARE * _content(answer, both)
    return words / _PER_WORD if _UNSPACED.search(user) else words


@memoize(chars=_CACHE_CHARS)
def _content(text: str, both: str) -> float:
    """Returns how many rare words a text is worth, in the language of `both`."""
    return sum(word_weights(drop_contained_pairs(terms(text)), both).values())
