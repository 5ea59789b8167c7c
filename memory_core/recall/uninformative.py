"""Drops memories that say little: short messages, small talk, and what only its neighbours explain.

A passage also scores by the words of its neighbours and of its session: "In the front pocket" may
answer what the exchange before it asks. A candidate with such a
score stays as a short line if it says something, which greetings, thanks and "good night" do not.

Common words weigh little, so that "See you tomorrow, sleep well" counts for less than its length.
Names and facts are rare words. In a language without a table of common words, every word counts.
Each side of an exchange is judged by its own length.
"""

import re
import sys
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import replace
from math import inf

import numpy as np
from numpy.typing import NDArray

from ..domain.records import Memory
from ..infra.lru_cache import memoize
from ..storage.log.projection import MemoryRecord, exchange_text
from ..text.lexicon import word_weights
from ..text.search_terms import drop_paired_characters, terms
from .cue import idle
from .earlier_questions import asks_in_vain
from .results import Candidate, Dropped, DropReason

# A score comes from the neighbours if the own part is below both of these shares.
_MIN_SHARE_OF_BEST, _MIN_OWN_SHARE = 0.15, 0.5
_WEAK = 0.5  # of the best score
_BY_NEIGHBOURS = "only its neighbours fit, and it says little itself"
_SAYS_LITTLE = "it says little, and fits less well than the best"
_MIN_WORDS = 2.0  # rare words in an exchange that can be understood alone
_MIN_IDLE_WORDS = 7.0  # rare words in one that is worded like small talk
_CHARS_PER_WORD = 1.5  # in scripts without blanks, where each character is a term
_ANSWER_SHARE = 0.3  # weight of an answer's words: the facts mostly come from the user
_UNSPACED = re.compile("[\u3040-\u30ff\u3400-\u9fff]")
_MAX_CHARS = 2_000
_CACHE_CHARS = 500_000


def drop_uninformative(
    ordered: Sequence[Candidate],
    *,
    exempt: Container[str],
    may_be_weak: bool = False,
    places: int = sys.maxsize,
) -> tuple[list[Candidate], list[Dropped]]:
    """Splits off candidates that say little and whose score is weak or comes from neighbours.

    The first candidate stays, and so do memories in `exempt`. With `may_be_weak`, which is for
    questions about a day, weak ones stay, too: any word of that day may be asked for.

    Once exchanges fill all `places` and the best candidate stays, the rest stays unjudged: the
    caller measures the others by that best candidate.
    """
    best, best_kept = best_score(ordered), -inf
    kept: list[Candidate] = []
    dropped: list[Dropped] = []
    for index, candidate in enumerate(ordered):
        if places <= 0 and best_kept == best:
            kept += ordered[index:]
            break
        may_go = index > 0 and candidate.memory.id not in exempt
        if may_go and (detail := _drop_detail(candidate, best, may_be_weak=may_be_weak)):
            dropped.append(Dropped(candidate=candidate, reason=DropReason.GATE, detail=detail))
            continue
        kept.append(candidate)
        best_kept = max(best_kept, candidate.score)
        if candidate.memory.derived is None and candidate.memory.id not in exempt:
            places -= 1  # derived memories may share a place, and exempt ones come last
    return kept, dropped


def _drop_detail(candidate: Candidate, best: float, *, may_be_weak: bool) -> str:
    """Returns the reason to drop a candidate; "" if it may become a line."""
    if scores_by_neighbours(candidate, best):
        return _BY_NEIGHBOURS if is_uninformative(candidate.memory) else ""
    if may_be_weak:
        return ""
    is_weak = candidate.score < _WEAK * best
    judged = is_uninformative if is_weak else asks_in_vain  # is_uninformative() includes the other
    return _SAYS_LITTLE if judged(candidate.memory) else ""


def best_score(candidates: Iterable[Candidate]) -> float:
    return max([candidate.score for candidate in candidates], default=0.0)


def scores_by_neighbours(candidate: Candidate, best: float) -> bool:
    """Returns whether hardly any of a score is the candidate's own; `best` is the best score."""
    own = candidate.own_score
    return own is not None and own < min(
        _MIN_SHARE_OF_BEST * best, _MIN_OWN_SHARE * candidate.score
    )


def is_uninformative(memory: Memory) -> bool:
    """Returns whether an exchange has too few rare words to be of use without its neighbours.

    A question without an answer tells nothing, however many words it has.
    """
    exchange = memory.exchange
    if exchange is None:
        return False
    if asks_in_vain(memory):
        return True
    words = _count_rare_words(exchange.user[:_MAX_CHARS], exchange.assistant[:_MAX_CHARS])
    return words < _MIN_WORDS or (words < _MIN_IDLE_WORDS and idle(exchange.user) > 0.0)


@memoize(chars=_CACHE_CHARS)
def _count_rare_words(user: str, answer: str) -> float:
    """Returns how many rare words an exchange is worth, those of the answer in part."""
    said, answered = (drop_paired_characters(terms(side)) for side in (user, answer))
    both = f"{user}\n{answer}"  # a few words alone seldom show their language
    weights = word_weights(said | answered, both)
    words = sum(map(weights.__getitem__, said))
    words += _ANSWER_SHARE * sum(map(weights.__getitem__, answered))
    return words / _CHARS_PER_WORD if _UNSPACED.search(user) else words


def is_too_short(memory: Memory, min_letters: int) -> bool:
    """Returns whether a memory is an exchange with both sides below `min_letters`."""
    exchange = memory.exchange
    return exchange is not None and max(len(exchange.user), len(exchange.assistant)) < min_letters


def without_short_sides(memory: Memory, min_letters: int) -> Memory:
    """Returns the memory without sides below `min_letters`.

    A note, or an exchange of two short sides, is returned unchanged.
    """
    exchange = memory.exchange
    if exchange is None:
        return memory
    kept = [
        text if len(text) >= min_letters else "" for text in (exchange.user, exchange.assistant)
    ]
    if kept == [exchange.user, exchange.assistant] or not any(kept):
        return memory
    exchange = replace(exchange, user=kept[0], assistant=kept[1])
    return replace(memory, exchange=exchange, text=exchange_text(exchange))


def long_sides(
    ids: Sequence[str], entries: Mapping[str, MemoryRecord], min_letters: int
) -> NDArray[np.bool_]:
    """Returns which sides have at least `min_letters`, shape (n, 2); for notes, both."""
    return np.array(
        [_are_long(entries.get(memory_id), min_letters) for memory_id in ids], dtype=bool
    ).reshape(-1, 2)


def _are_long(entry: MemoryRecord | None, min_letters: int) -> tuple[bool, bool]:
    exchange = entry.memory.exchange if entry else None
    if exchange is None:
        return True, True
    return len(exchange.user) >= min_letters, len(exchange.assistant) >= min_letters
