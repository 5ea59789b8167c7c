"""How sure recall is that a message wants a memory, and that it found it.

A logistic regression weighs how the message is put (cue.py) and the evidence: how well the best
candidates answer it, how far they stand out, and how much of it the memories know. There is one set
of weights for recall by words alone and one for recall with an embedder (certainty.json), learned
by benchmarks/fit_certainty.py.
"""

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import fields
from functools import cache
from pathlib import Path

from ..records import Candidate
from .cue import cue, length
from .evidence import Evidence
from .query import Query

BIAS = "bias"
WORDS_ALONE, WITH_MEANING = "words", "meaning"
WEIGHTS = Path(__file__).with_name("certainty.json")
_DATES = ("said_at", "happened_at")
_MEANING = ("turn", "exchange")
_BEHIND = 7  # the eighth candidate: as many as the default settings let in
_AMOUNTS = {"found": math.inf, "known": 6.0, "unknown": 6.0}
_LARGEST = 60.0
_EVIDENCE = tuple(it.name for it in fields(Evidence))


def certainty(query: Query, evidence: Evidence, candidates: Sequence[Candidate]) -> float:
    """Returns the probability, 0 to 1, that a wanted memory is among these candidates."""
    told = features(query, evidence, candidates)
    weights = _weights()[WITH_MEANING if has_meaning(candidates) else WORDS_ALONE]
    odds = weights[BIAS] + sum(weights.get(name, 0.0) * it for name, it in told.items())
    return 1.0 / (1.0 + math.exp(-max(-_LARGEST, min(_LARGEST, odds))))


def features(query: Query, evidence: Evidence, candidates: Sequence[Candidate]) -> dict[str, float]:
    """Returns everything that is weighed, by name. Of amounts the root counts."""
    told = {name: float(getattr(evidence, name)) for name in _EVIDENCE}
    roots = {name: math.sqrt(min(told[name], most)) for name, most in _AMOUNTS.items()}
    own = {"cue": cue(query.voiced), "length": math.log1p(length(query.text))}
    return own | told | roots | _standing_out(query, candidates)


def has_meaning(candidates: Sequence[Candidate]) -> bool:
    """Tells whether an embedder had a say in these scores."""
    return any(it.cosine is not None for it in candidates)


def _standing_out(query: Query, candidates: Sequence[Candidate]) -> dict[str, float]:
    """How the best candidates score, and by how much they lead."""
    best = sorted((undated(it, query) for it in candidates), reverse=True)
    near = sorted((_sum(it, _MEANING) for it in candidates), reverse=True)
    return {
        "best": best[0] if best else 0.0,
        "lead": _lead(best),
        "words": _most(candidates, "words"),
        "topics": _most(candidates, "topics"),
        "near": near[0] if near else 0.0,
        "near_lead": _lead(near),
        "dated": max((_sum(it, _DATES) for it in candidates), default=0.0),
        "happened": _most(candidates, "happened_at"),
        "names_time": float(bool(query.times)),
        "in_context": float(bool(query.context)),
    }


def undated(candidate: Candidate, query: Query) -> float:
    """Returns the score; when it was said counts only where the message asks for a time."""
    if query.asks_for_a_time:
        return candidate.score
    return candidate.score - _sum(candidate, _DATES)


def _most(candidates: Sequence[Candidate], name: str) -> float:
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
