"""Recognises newer versions of a fact, and moves them before the older ones.

Signs are weighed: the newer memory's share of the older one's score; the rare words that both have
("Lindqvist"); whether both have a number or neither has; whether the newer one reports a change
("they moved it to Friday"); and whether the message asks about the present, or for a time that
the newer one has. The weights are learned by benchmarks/fit_versions.py. See docs/recall.md.
"""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from functools import cache
from math import inf
from pathlib import Path

from ..infra.lru_cache import memoize
from ..text.change_cues import asks_for_a_former_state, tells_of_a_change
from ..text.questions import has_a_value
from ..text.search_terms import drop_paired_characters, terms
from .query import Query
from .results import Candidate, VersionSigns

STRONG_LINK = 1.5  # weight of shared rare words from which two texts have one subject
_MAX_RATIO = 2.0
WEIGHTS = Path(__file__).with_name("fact_versions.json")
BIAS = "bias"
SIGNS = tuple(sign.name for sign in fields(VersionSigns))
_DAY_S = 86_400.0  # messages of one session are not versions of each other
_MAX_CHARS = 2_000  # letters that are compared
_CACHE_CHARS = 500_000
_DIGIT = re.compile(r"\d")


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


def asks_for_the_present(query: Query) -> bool:
    """Returns whether newer versions answer the message better than older ones."""
    is_past = query.names_a_past_time or asks_for_a_former_state(query.text)
    return not (query.is_about_a_date or is_past)


def is_newer(newer: Candidate, older: Candidate) -> bool:
    """Returns whether one was said at least a day after the other."""
    if newer.memory.ts is None:
        return False
    return newer.memory.ts - (older.memory.ts or 0.0) >= _DAY_S


def version_odds(signs: VersionSigns, weights: Mapping[str, float]) -> float:
    """Returns the logarithm of the odds that a later memory replaces an older one."""
    return weights[BIAS] + sum([weights[name] * float(getattr(signs, name)) for name in SIGNS])


def newest_first(
    ordered: Sequence[Candidate], weights: Mapping[str, float] | None = None
) -> list[Candidate]:
    """Returns the candidates with the likeliest newer version of each right before it.

    `weights` are those learned, unless others are tried.
    """
    result = list(ordered)
    later = [candidate for candidate in ordered if candidate.newer_than]
    replaced = {memory_id for candidate in later for memory_id in candidate.newer_than}
    for older in ordered if later else ():
        if older.memory.id in replaced:
            newer, odds = _likeliest(later, older, weights or _weights())
            if odds > 0.0:
                _move_before(result, newer, older)
    return result


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
