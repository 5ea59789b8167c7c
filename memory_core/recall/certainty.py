"""Estimates the probability that a message wants a memory and that recall has found it.

A logistic regression weighs the wording of the message (cue.py) and the search results: how well
the best candidates match, how far they stand out, and how many of the message's words are stored.
certainty.json has three sets of weights, learned by benchmarks/fit_certainty.py: for recall by
words, with an embedder, and with the built-in one, whose vectors also tell how a message is put.
"""

import json
import math
import re
from collections.abc import Mapping, Sequence
from functools import cache
from operator import sub
from pathlib import Path

from ..text.change_cues import without_repetition
from ..text.first_person import asks_about_speaker
from ..text.lexicon import word_weights
from ..text.questions import asks_if_remembered
from ..text.requests import asks_to_be_told, asks_what_was_said
from ..text.search_terms import drop_paired_characters
from .cue import cue, idle, relative_length, usual_language
from .cue_by_meaning import UNKNOWN_WORDING
from .fact_versions import own_words, text_terms
from .known_names import MIN_RARITY, names_somebody
from .own_things import tells_of_same_thing
from .query import Query
from .results import Candidate, NeedFeatures
from .standing_facts import STANDING

BIAS = "bias"
WORDS_ALONE, WITH_MEANING, BUILT_IN = "words", "meaning", "built-in"
WEIGHTS = Path(__file__).with_name("certainty.json")
_DATE_PARTS = ("said_at", "happened_at")
_OF_THEMSELVES = (STANDING, "informative")  # parts that memories have for any message
_DERIVED_PART = "derived"  # depends on the kind of memory, and says nothing about the need
_BEST_CANDIDATES = 5  # searched for a name, and for what happens again
_MAX_CHARS = 1_000  # letters of a candidate that are searched, and show its language
_BESIDE = 8  # candidates whose language the message may have
_RUNNER_UP = 7  # the eighth candidate, seldom a wanted one
_NO_CANDIDATES = (0.0,) * (_RUNNER_UP + 1)
_FEW_LINES_NEED, _FULL_NEED = 0.5, 0.55  # the defaults of recall.min_need and full_need
_LONG, _MIN_CUE = 0.65, -2.0  # a message twice as long as usual is never mere small talk
_MIN_TOPICS = 0.1  # score part for topics, for a question about the speaker
_MIN_WORDS = 0.7  # share of a question's words that memories have
_MIN_HALF, _NOT_IDLE = 0.55, 0.1  # the same, of a question with at least this probability
_MIN_COVERED = 0.6  # share of a short request's or question's words that one memory has
_VERY_NEAR = 0.68  # of the part that a date can add
_MAX_LOG_ODDS = 60.0
_TITLE = re.compile("《([^》]{2,40})》")


def certainty(query: Query, evidence: NeedFeatures, candidates: Sequence[Candidate]) -> float:
    """Returns the probability, 0 to 1, that a wanted memory is among these candidates.

    The weights for words are mixed with the others as far as the embedder is not trusted with the
    message. A question about the speaker gets at least a few lines if memories have its topic. So
    do a question that shares most words with a memory ("Helena's bees?") or, unless its wording is
    that of small talk, half of them; "do you remember …" or "what did you suggest" with a stored
    word; a request with a standing fact; a short request ("dime la clave") whose words one memory
    has; a statement that names somebody known, says "again" of something told, or tells of a thing
    of one's own as a memory does ("my back is better"); and a message with a known title. "Who is
    Gary?" gets all memories that fit. Small talk hardly ever has any of these.
    """
    values = features(query, evidence, candidates)
    trust = evidence.trust
    by_words = _probability(values, WORDS_ALONE) if trust < 1.0 else 0.0
    kind = WITH_MEANING if evidence.wording == UNKNOWN_WORDING else BUILT_IN
    by_meaning = _probability(values, kind) if trust > 0.0 else 0.0
    found = (1.0 - trust) * by_words + trust * by_meaning
    if found >= _FULL_NEED:
        return found
    names_known_person = _names_somebody(query, candidates, evidence)
    if names_known_person and query.asks and len(drop_paired_characters(query.words)) == 1:
        return _FULL_NEED
    is_specific = (
        names_known_person
        or _tells_of_a_known_thing_again(query, candidates)
        or _tells_of_a_known_own_thing(query, candidates)
        or (_largest_part(candidates, "topics") >= _MIN_TOPICS and asks_about_speaker(query.text))
        or (evidence.is_known and _asks_back(query.text))
        or any(STANDING in candidate.parts for candidate in candidates)
        or _names_a_known_work(query, candidates)
        or (query.asks and values["words"] >= (_MIN_WORDS if found < _NOT_IDLE else _MIN_HALF))
        or (evidence.covered >= _MIN_COVERED and asks_to_be_told(query.text))
    )
    return max(found, _FEW_LINES_NEED) if is_specific else found


def _asks_back(text: str) -> bool:
    return asks_if_remembered(text) or asks_what_was_said(text)


def _names_somebody(query: Query, candidates: Sequence[Candidate], evidence: NeedFeatures) -> bool:
    """Returns whether the message names somebody whom one of the best memories mentions.

    Questions about the world have names, too, so a question counts only if one memory has most of
    its words ("who is gary").
    """
    if query.asks and evidence.covered < _MIN_COVERED:
        return False
    texts = [one.memory.text[:_MAX_CHARS] for one in candidates[:_BEST_CANDIDATES]]
    return names_somebody(query.text_without_dates, query.names, texts)


def _tells_of_a_known_thing_again(query: Query, candidates: Sequence[Candidate]) -> bool:
    """Returns whether something happens again that the user told in one of the best memories.

    "Dizzy again" has to share a rare word with it.
    """
    told_again = without_repetition(query.text_without_dates)
    if query.asks or not told_again:
        return False
    said = text_terms(told_again)
    for told in (own_words(one)[:_MAX_CHARS] for one in candidates[:_BEST_CANDIDATES]):
        # A few words alone seldom show their language.
        weights = word_weights(said & text_terms(told), f"{query.text}\n{told}")
        if max(weights.values(), default=0.0) >= MIN_RARITY:
            return True
    return False


def _tells_of_a_known_own_thing(query: Query, candidates: Sequence[Candidate]) -> bool:
    """Returns whether the user tells of "my back", as in one of the best memories."""
    return not query.asks and any(
        tells_of_same_thing(query.text, own_words(one)[:_MAX_CHARS])
        for one in candidates[:_BEST_CANDIDATES]
    )


def _names_a_known_work(query: Query, candidates: Sequence[Candidate]) -> bool:
    """Returns whether one of the best memories has a title of the message, as in 《红楼梦》."""
    titles = _TITLE.findall(query.text)
    texts = [one.memory.text for one in candidates[:_BEST_CANDIDATES]] if titles else []
    return any(title in text for title in titles for text in texts)


def _probability(values: Mapping[str, float], kind: str) -> float:
    weights = _weights()[kind]
    odds = weights[BIAS] + sum(weights.get(name, 0.0) * value for name, value in values.items())
    return 1.0 / (1.0 + math.exp(-max(-_MAX_LOG_ODDS, min(_MAX_LOG_ODDS, odds))))


def features(
    query: Query, evidence: NeedFeatures, candidates: Sequence[Candidate]
) -> dict[str, float]:
    """Returns the inputs of the regression by name.

    Small talk has "tomorrow" and "Monday", but hardly ever "the 18th", so a memory that mentions
    the very day counts if the message names that day or asks.
    """
    usual = usual_language([own_words(one)[:_MAX_CHARS] for one in candidates[:_BESIDE]])
    wording = evidence.wording
    asking = cue(query.text_for_embedder, usual, wording)
    no_small_talk = -idle(query.text_for_embedder, usual, wording)
    length = relative_length(query.text, usual)
    if length > _LONG:
        asking, no_small_talk = max(_MIN_CUE, asking), max(_MIN_CUE, no_small_talk)
    is_on_the_day = _largest_part(candidates, "happened_at") >= _VERY_NEAR
    scores = scores_without_date(candidates, query)
    of_themselves = [sum(map(one.parts.get, _OF_THEMSELVES, (0.0, 0.0))) for one in candidates]
    of_vectors = [one.parts.get("turn", 0.0) + one.parts.get("exchange", 0.0) for one in candidates]
    near = [*sorted(of_vectors, reverse=True), *_NO_CANDIDATES]
    return {
        "cue": asking,
        "agreed": min(asking, no_small_talk),
        "length": length,
        "found": math.sqrt(evidence.found),
        "asks_back": float(evidence.asks_back),
        "on_the_day": float(is_on_the_day and (query.names_a_day or query.asks)),
        "best": max(map(sub, scores, of_themselves), default=0.0),
        "words": _largest_part(candidates, "words"),
        "near": near[0],
        "near_lead": near[0] - near[_RUNNER_UP],
        "agreed_by_meaning": min(wording.cue, -wording.idle),
    }


def scores_without_date(candidates: Sequence[Candidate], query: Query) -> list[float]:
    """Returns the scores without their date parts, unless the message asks about a date.

    The factor of a derived memory's kind is left out, too.
    """
    own = [one.score - one.parts.get(_DERIVED_PART, 0.0) for one in candidates]
    if query.is_about_a_date or not query.dates:
        return own
    return list(map(sub, own, map(score_of_dates, candidates)))


def score_of_dates(candidate: Candidate) -> float:
    """Returns the part of the score that comes from the dates in the message."""
    parts = candidate.parts
    return sum([parts.get(name, 0.0) for name in _DATE_PARTS])


def _largest_part(candidates: Sequence[Candidate], name: str) -> float:
    """Returns the largest score part of this name among all candidates, or 0."""
    return max([candidate.parts.get(name, 0.0) for candidate in candidates], default=0.0)


@cache
def _weights() -> Mapping[str, Mapping[str, float]]:
    found: dict[str, dict[str, float]] = json.loads(WEIGHTS.read_text(encoding="utf-8"))
    return found
