"""Finds newer versions of a fact, and moves them before the older ones.

Later exchanges that report a change are found by the rare words of the best candidates: "Dr.
Lindqvist is on leave, I have Marcus now" has no word of "who is my therapist", but shares a
name with the memory that has. Signs are weighed: the newer memory's share of the older one's score;
the rare words that both have ("Lindqvist"); whether both have a number or neither has; whether the
newer one reports a change ("they moved it to Friday"); and whether the message asks about the
present, or for a time that the newer one has. benchmarks/fit_versions.py learns the weights.
See docs/recall.md.
"""

import json
import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from functools import cache
from math import inf, isqrt
from pathlib import Path

from ..infra.lru_cache import memoize
from ..storage.contract import FullTextIndex, SearchFilter
from ..text.change_cues import (
    asks_about_now,
    asks_for_a_former_state,
    takes_something_back,
    tells_of_a_change,
)
from ..text.lexicon import word_weights
from ..text.questions import asks_for_a_time, asks_for_a_value, has_a_value
from ..text.search_terms import drop_paired_characters, terms
from .cue import cue
from .query import Query
from .results import Candidate, VersionSigns

STRONG_LINK = 1.5  # weight of shared rare words from which two texts have one subject
_MAX_RATIO = 2.0
WEIGHTS = Path(__file__).with_name("fact_versions.json")
BIAS = "bias"
SIGNS = tuple(sign.name for sign in fields(VersionSigns))
_DAY_S = 86_400.0  # messages of one session are no versions of each other, except corrections
_MAX_CHARS = 2_000  # letters that are compared
_CACHE_CHARS = 500_000
_DIGIT = re.compile(r"\d")
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


@dataclass(frozen=True, slots=True, kw_only=True)
class VersionScorer:
    """Scores pairs of memories for one message.

    `rare_words`: the weights, 0 … 1, of words that few memories contain. `asks_now`: the message
    asks about the present; `asks_time`: it asks when.
    """

    rare_words: Mapping[str, float]
    asks_now: bool
    asks_time: bool = False

    def signs(self, newer: Candidate, older: Candidate) -> VersionSigns:
        """Returns the signs that `newer` replaces `older`."""
        link = self.link(newer, older)
        own, before = own_words(newer), own_words(older)
        changes = tells_of_a_change(own)
        return VersionSigns(
            score=min(_MAX_RATIO, newer.score / older.score) if older.score > 0.0 else 0.0,
            link=link,
            same_numbers=_has_digit(own) == _has_digit(before),
            change=changes,
            change_now=changes and self.asks_now,
            change_of_subject=changes and link >= STRONG_LINK,
            change_of_time=changes and self.asks_time and has_a_value(own),
        )

    def link(self, newer: Candidate, older: Candidate) -> float:
        """Returns the summed weight of the rare words that the newer one shares with the older."""
        shared = text_terms(own_words(newer)) & text_terms(older.memory.text)
        return sum([self.rare_words[word] for word in sorted(shared) if word in self.rare_words])


def is_newer(newer: Candidate, older: Candidate) -> bool:
    """Returns whether one was said at least a day after the other, or takes it back sooner."""
    if newer.memory.ts is None:
        return False
    if _is_days_later(newer, older):
        return True
    is_earlier = newer.memory.ts < (older.memory.ts or 0.0) or newer.memory.id == older.memory.id
    return not is_earlier and takes_something_back(own_words(newer))


def _is_days_later(newer: Candidate, older: Candidate) -> bool:
    return (newer.memory.ts or 0.0) - (older.memory.ts or 0.0) >= _DAY_S


def version_odds(signs: VersionSigns, weights: Mapping[str, float]) -> float:
    """Returns the logarithm of the odds that a later memory replaces an older one."""
    return weights[BIAS] + sum([weights[name] * float(getattr(signs, name)) for name in SIGNS])


def newest_first(
    ordered: Sequence[Candidate], weights: Mapping[str, float] | None = None
) -> list[Candidate]:
    """Returns the candidates with the likeliest newer version of each right before it.

    If both share a rare word, the newer one then names the one that it `replaces`. `weights` are
    those learned, unless others are tried.
    """
    result, replaced_by = list(ordered), dict[str, str]()
    later = [candidate for candidate in ordered if candidate.newer_than]
    replaced = {memory_id for candidate in later for memory_id in candidate.newer_than}
    for older in ordered if later else ():
        if older.memory.id in replaced:
            newer, odds = _likeliest(later, older, weights or _weights())
            if odds > 0.0:
                _move_before(result, newer, older)
                if newer.newer_than[older.memory.id].link > 0.0:
                    replaced_by.setdefault(newer.memory.id, older.memory.id)
    return [
        replace(one, replaces=replaced_by[one.memory.id]) if one.memory.id in replaced_by else one
        for one in result
    ]


def _move_before(result: list[Candidate], newer: Candidate, older: Candidate) -> None:
    place, present = result.index(older), result.index(newer)
    if present > place:
        result.insert(place, result.pop(present))


def _likeliest(
    later: Sequence[Candidate], older: Candidate, weights: Mapping[str, float]
) -> tuple[Candidate, float]:
    """Returns the likeliest newer version of a memory, and the logarithm of its odds."""
    odds = [
        version_odds(one.newer_than[older.memory.id], weights)
        if older.memory.id in one.newer_than
        else -inf
        for one in later
    ]
    best = max(range(len(odds)), key=odds.__getitem__)
    return later[best], odds[best]


@cache
def _weights() -> Mapping[str, float]:
    found: dict[str, float] = json.loads(WEIGHTS.read_text(encoding="utf-8"))
    return found


def own_words(candidate: Candidate) -> str:
    """Returns what the user said, or the text of a memory that is no exchange."""
    exchange = candidate.memory.exchange
    return exchange.user if exchange else candidate.memory.text


@memoize(chars=_CACHE_CHARS)
def text_terms(text: str) -> frozenset[str]:
    """Returns the search terms of a text; of Chinese characters that form pairs, the pairs."""
    return drop_paired_characters(terms(text[:_MAX_CHARS]))


def _has_digit(text: str) -> bool:
    return bool(_DIGIT.search(text[:_MAX_CHARS]))


def with_newer_versions(
    candidates: Sequence[Candidate], fulltext: FullTextIndex, query: Query, only: SearchFilter
) -> list[Candidate]:
    """Returns the candidates and further successors, best first, with what each may replace.

    Older versions are the better answer to a question about a date or a former state.
    """
    asks_of_the_past = query.names_a_past_time or asks_for_a_former_state(query.text)
    if not candidates or query.is_about_a_date or asks_of_the_past:
        return list(candidates)
    asks_now = asks_about_now(query.text)
    is_about_what_was_said = (
        asks_now
        or asks_for_a_value(query.text)
        or cue(query.text_for_embedder) >= _MIN_CUE  # worded like a question about what was said
    )
    if not (is_about_what_was_said or query.asks):
        return list(candidates)
    may_replace = tells_of_a_change if is_about_what_was_said else takes_something_back
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
        for one in fetch_candidates(_linked_ids(scorer.rare_words, fulltext, only), known, fulltext)
        if (one.memory.exchange or one.memory.id in known)
        and any(is_newer(one, old) for old in older)
        and may_replace(own_words(one))
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
    """Raises the candidate's score to a share of that of a memory it is strongly linked with.

    A correction within a day needs no strong link, as it follows the words that it corrects.
    """
    linked = (
        old
        for old in older
        if is_newer(one, old)
        and (scorer.link(one, old) >= STRONG_LINK or not _is_days_later(one, old))
    )
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


def _linked_ids(
    rare_words: Mapping[str, float], fulltext: FullTextIndex, only: SearchFilter
) -> list[str]:
    """Returns the ids of memories that contain some of these words."""
    words = sorted(rare_words, key=lambda word: (-rare_words[word], word))[:_SEARCHED_WORDS]
    return fulltext.search(words, limit=_MAX_FOUND, only=only) if words else []


def fetch_candidates(
    ids: Collection[str], known: Mapping[str, Candidate], fulltext: FullTextIndex
) -> list[Candidate]:
    """Returns the candidates with these ids, the known ones first.

    The others are loaded with a score of 0, without derived ones.
    """
    unknown = [memory_id for memory_id in ids if memory_id not in known]
    fetched = [
        Candidate(memory=stored.memory, score=0.0, key=stored.key, chat_key=stored.chat_key)
        for stored in (fulltext.live_memories(unknown) if unknown else ())
        if not stored.memory.derived
    ]
    return [*(known[memory_id] for memory_id in ids if memory_id in known), *fetched]
