"""Finds later memories that change what the best candidates say.

"Dr. Lindqvist is on leave, I have Marcus now" has no word of "who is my therapist", but shares a
name with the memory that has. So the rare words of the best candidates are searched, and later
memories that report a change become candidates, too.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from math import isqrt

from ..storage.contract import FullTextIndex, SearchFilter
from ..text.change_cues import asks_about_now, tells_of_a_change
from ..text.common_words import word_weights
from ..text.questions import asks_for_a_time, asks_for_a_value
from ..text.search_terms import terms
from .cue import cue
from .fact_versions import (
    STRONG_LINK,
    VersionScorer,
    asks_for_the_present,
    is_newer,
    own_words,
    text_terms,
)
from .query import Query
from .results import Candidate

SUCCESSOR = "successor"  # the part of a score
_MAX_OLDER = 3  # candidates whose newer versions are looked for
_MIN_SHARE = 0.5  # of the best score; candidates below are not worth it
_MAX_COMPARED = 8  # candidates that may be newer versions
_MIN_CUE = 0.0  # log odds; 0 is also that of an unknown language
_MIN_FACTOR = 0.3  # of words searched; commoner ones do not identify a subject
_SEARCHED_WORDS, _MAX_FOUND = 16, 16  # rare words that are searched, and memories that they find
_RARE_COUNT = 3  # memories; a word in no more of them is rare, however few there are in all
_HIRAGANA = re.compile("[ぁ-ゟ]+")  # pieces of endings, which do not identify a subject
_MIN_SUCCESSOR_SHARE = 0.5  # share of the older one's score that a successor gets at least


def with_newer_versions(
    candidates: Sequence[Candidate], fulltext: FullTextIndex, query: Query, only: SearchFilter
) -> list[Candidate]:
    """Returns the candidates and further successors, best first, with what each may replace."""
    if not (candidates and asks_for_the_present(query)):
        return list(candidates)
    asks_now = asks_about_now(query.text)
    if not (
        asks_now
        or asks_for_a_value(query.text)
        or cue(query.text_for_embedder) >= _MIN_CUE  # worded like a question about what was said
    ):
        return list(candidates)
    older = [
        one for one in candidates[:_MAX_OLDER] if one.score >= _MIN_SHARE * candidates[0].score
    ]
    scorer = VersionScorer(
        rare_words=_rare_words(older, fulltext, query),
        asks_now=asks_now,
        asks_time=asks_for_a_time(query.text),
    )
    known = {candidate.memory.id: candidate for candidate in candidates}
    linked = [
        _with_version_signs(_with_raised_score(one, older, scorer), older, scorer)
        for one in _find_linked(known, scorer.rare_words, fulltext, only)
        if any(is_newer(one, old) for old in older) and tells_of_a_change(own_words(one))
    ]
    known |= {
        one.memory.id: _with_version_signs(one, older, scorer) for one in candidates[:_MAX_COMPARED]
    }
    known |= {one.memory.id: one for one in linked if one.score > 0.0}
    return sorted(known.values(), key=lambda candidate: -candidate.score)


def _with_version_signs(
    one: Candidate, older: Sequence[Candidate], scorer: VersionScorer
) -> Candidate:
    """Returns the candidate with the older ones of which it may be a newer version."""
    signs = {old.memory.id: scorer.signs(one, old) for old in older if is_newer(one, old)}
    return replace(one, newer_than=signs) if signs else one


def _with_raised_score(
    one: Candidate, older: Sequence[Candidate], scorer: VersionScorer
) -> Candidate:
    """Raises the candidate's score to a share of that of a memory it is strongly linked with."""
    linked = (old for old in older if is_newer(one, old) and scorer.link(one, old) >= STRONG_LINK)
    min_score = _MIN_SUCCESSOR_SHARE * max((old.score for old in linked), default=0.0)
    if one.score >= min_score:
        return one
    lift = one.parts.get(SUCCESSOR, 0.0) + min_score - one.score
    return replace(one, score=min_score, parts={**one.parts, SUCCESSOR: lift})


def _rare_words(
    older: Sequence[Candidate], fulltext: FullTextIndex, query: Query
) -> dict[str, float]:
    """Returns the weights of words that only a few memories contain, but more than one."""
    names = {word for name in query.names for word in terms(name)}
    words = frozenset[str]().union(*(text_terms(one.memory.text) for one in older)) - names
    factors = word_weights(words, older[0].memory.text)
    telling = [
        word
        for word, factor in factors.items()
        if factor >= _MIN_FACTOR and (word.isascii() or not _HIRAGANA.fullmatch(word))
    ]
    corpus = fulltext.corpus(telling)
    max_frequency = max(_RARE_COUNT, isqrt(corpus.size) // 2)
    frequency = corpus.document_frequency
    weights = corpus.weights(word for word in telling if 1 < frequency[word] <= max_frequency)
    return {word: weight * factors[word] for word, weight in weights.items()}


def _find_linked(
    known: Mapping[str, Candidate],
    rare_words: Mapping[str, float],
    fulltext: FullTextIndex,
    only: SearchFilter,
) -> list[Candidate]:
    """Returns memories that contain some of these words."""
    words = sorted(rare_words, key=lambda word: (-rare_words[word], word))[:_SEARCHED_WORDS]
    ids = fulltext.search(words, limit=_MAX_FOUND, only=only) if words else []
    unknown = [memory_id for memory_id in ids if memory_id not in known]
    found = [known[memory_id] for memory_id in ids if memory_id in known]
    return [*found, *(one for one in fetch_candidates(unknown, fulltext) if one.memory.exchange)]


def fetch_candidates(ids: Sequence[str], fulltext: FullTextIndex) -> Iterator[Candidate]:
    """Yields the memories with these ids as candidates with a score of 0, except derived ones."""
    for stored in fulltext.live_memories(ids) if ids else ():
        if not stored.memory.derived:
            yield Candidate(
                memory=stored.memory, score=0.0, key=stored.key, chat_key=stored.chat_key
            )
