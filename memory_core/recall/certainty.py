"""How sure recall is that a message wants a memory, and that it found it.

A logistic regression weighs how the message is put (cue.py) and the evidence: how well the best
candidates answer it, how far they stand out, and how much of it the memories know. There is one set
of weights for recall by words alone and one for recall with an embedder (certainty.json), learned
by benchmarks/fit_certainty.py.
"""

import json
import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import fields
from functools import cache
from pathlib import Path

from ..text.language import languages_of
from .cue import cue, idle, relative_length
from .evidence import NeedFeatures
from .query import Query
from .results import Candidate

BIAS = "bias"
WORDS_ALONE, WITH_MEANING = "words", "meaning"
WEIGHTS = Path(__file__).with_name("certainty.json")
_DATES = ("said_at", "happened_at")
_MEANING = ("turn", "exchange")
_WORD = re.compile(r"[^\W\d_]{3,}")
_NAME = re.compile(r"(?<=[^\W_] )[^\W\d_]{3,}")
_BEST, _LONGEST = 5, 1_000  # candidates, and letters of each, in which a name is looked for
_BEHIND = 7  # the eighth candidate: as many as the default settings let in
_AMOUNTS = {"found": math.inf, "known": 6.0, "unknown": 6.0}
_A_FEW = 0.5  # the default of recall.min_need
_ASKS, _RARE = 0.3, 0.6  # least cue, and least of a rare word found
_VERY_NEAR = 0.68  # of the part that a date can add
_LARGEST = 60.0
_EVIDENCE = tuple(it.name for it in fields(NeedFeatures))


def certainty(query: Query, evidence: NeedFeatures, candidates: Sequence[Candidate]) -> float:
    """Returns the probability, 0 to 1, that a wanted memory is among these candidates.

    Each set of weights counts as far as the embedder is trusted with the message, or is not. Who
    names somebody whom the memories know wants at least a few lines, and so does who asks with a
    word that few of them hold: small talk hardly ever does either.
    """
    told = features(query, evidence, candidates)
    trust = evidence.trust
    by_words = _probability(told, WORDS_ALONE) if trust < 1.0 else 0.0
    by_meaning = _probability(told, WITH_MEANING) if trust > 0.0 else 0.0
    found = (1.0 - trust) * by_words + trust * by_meaning
    asks_for_it = told["names_somebody"] or _asks_for_a_rare_word(told)
    return max(found, _A_FEW) if asks_for_it else found


def _asks_for_a_rare_word(told: Mapping[str, float]) -> bool:
    return bool(told["rare"]) and told["cue"] > _ASKS and told["found"] ** 2 >= _RARE


def _probability(told: Mapping[str, float], kind: str) -> float:
    weights = _weights()[kind]
    odds = weights[BIAS] + sum(weights.get(name, 0.0) * it for name, it in told.items())
    return 1.0 / (1.0 + math.exp(-max(-_LARGEST, min(_LARGEST, odds))))


def features(
    query: Query, evidence: NeedFeatures, candidates: Sequence[Candidate]
) -> dict[str, float]:
    """Returns everything that is weighed, by name. Of amounts the root counts."""
    told = {name: float(getattr(evidence, name)) for name in _EVIDENCE}
    roots = {name: math.sqrt(min(told[name], most)) for name, most in _AMOUNTS.items()}
    own = {
        "cue": cue(query.text_for_embedder),
        "idle": idle(query.text_for_embedder),
        "length": relative_length(query.text),
    }
    return own | told | roots | _score_features(query, candidates)


def _score_features(query: Query, candidates: Sequence[Candidate]) -> dict[str, float]:
    """How the best candidates score, and by how much they lead."""
    dated = [_sum(it, _DATES) for it in candidates]
    scores = [it.score for it in candidates]
    if not query.is_about_a_date:
        scores = [score - it for score, it in zip(scores, dated, strict=True)]
    best = sorted(scores, reverse=True)
    near = sorted((_sum(it, _MEANING) for it in candidates), reverse=True)
    return {
        "best": best[0] if best else 0.0,
        "lead": _lead(best),
        "words": _largest_part(candidates, "words"),
        "topics": _largest_part(candidates, "topics"),
        "near": near[0] if near else 0.0,
        "near_lead": _lead(near),
        "dated": max(dated, default=0.0),
        "on_the_day": float(_is_on_the_day(query, candidates)),
        "names_time": float(bool(query.dates)),
        "names_somebody": float(_names_somebody(query, candidates)),
        "in_context": float(bool(query.context)),
    }


def _is_on_the_day(query: Query, candidates: Sequence[Candidate]) -> bool:
    """Tells whether a memory speaks of the very date that the message names."""
    if not any(it.is_explicit for it in query.dates):
        return False
    return any(it.parts.get("happened_at", 0.0) >= _VERY_NEAR for it in candidates)


def _names_somebody(query: Query, candidates: Sequence[Candidate]) -> bool:
    """Tells whether a word of the message stands as a name in one of the best memories.

    A name is what begins with a capital letter within a sentence; German writes all nouns so.
    """
    if languages_of(query.text) == ("de",):
        return False
    own = frozenset(_WORD.findall(query.text_without_dates.casefold())) - query.own_names
    texts = (it.memory.text[:_LONGEST] for it in candidates[:_BEST])
    found = (name for text in texts for name in _NAME.findall(text) if name[0].isupper())
    return any(name.casefold() in own for name in found)


def score_without_date(candidate: Candidate, query: Query) -> float:
    """Returns the score; when it was said counts only where the message asks for a time."""
    if query.is_about_a_date:
        return candidate.score
    return candidate.score - _sum(candidate, _DATES)


def _largest_part(candidates: Sequence[Candidate], name: str) -> float:
    """The greatest part of this name."""
    return max((it.parts.get(name, 0.0) for it in candidates), default=0.0)


def _sum(candidate: Candidate, names: tuple[str, str]) -> float:
    one, other = names
    return candidate.parts.get(one, 0.0) + candidate.parts.get(other, 0.0)


def _lead(ranked: Sequence[float]) -> float:
    """How far the first stands before the eighth."""
    if not ranked:
        return 0.0
    return ranked[0] - (ranked[_BEHIND] if len(ranked) > _BEHIND else 0.0)


@cache
def _weights() -> Mapping[str, Mapping[str, float]]:
    found: dict[str, dict[str, float]] = json.loads(WEIGHTS.read_text(encoding="utf-8"))
    return found
