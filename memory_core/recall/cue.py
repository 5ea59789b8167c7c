"""Judges by its common words if a message asks for a memory or is small talk.

Each language has its own weights for both questions, learned from examples of everyday wording
(benchmarks/fit_cue.py). A message in any other language scores what its vector says
(cue_by_meaning.py), and 0 without one.
"""

import json
import math
import re
from collections.abc import Mapping, Sequence
from functools import cache
from itertools import chain, pairwise
from pathlib import Path
from statistics import fmean

from ..domain.unicode import normalised
from ..infra.lru_cache import memoize
from ..text.language import LATIN, languages_of, latin_votes
from ..text.search_terms import FULL_FORMS
from .cue_by_meaning import UNKNOWN_WORDING, Wording, usual_length

LENGTH, OFFSET, MEAN_LENGTH = "##", "###", "####"  # no word and no sign looks like these
SPECIAL = frozenset((LENGTH, OFFSET))
FOLDER = Path(__file__).with_name("cues")
_WIDE = "\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af"
_WORDS = re.compile(rf"[^\W\d_{_WIDE}]+(?:'[^\W\d_{_WIDE}]+)?|[{_WIDE}]+")
_IS_WIDE = re.compile(f"[{_WIDE}]")
_SIGNS = {
    "?": re.compile("[?？]"),  # noqa: RUF001
    "!": re.compile("[!！]"),  # noqa: RUF001
    "*": re.compile("[*（(]"),  # noqa: RUF001
    ".": re.compile(r"[.。][\"'”’」』）)\s]*$"),  # noqa: RUF001
    "0": re.compile("[0-9]"),
}
_FIRST_MARK, _PART_MARK = "^", "~"  # mark the first word of a message, and parts of words
_END, _PART = "_", 4
_MAX_CHARS = 2_000  # letters that are read
_USUAL_LEAD = 2  # function words by which another language must lead
_CACHE_CHARS = 50_000  # each message is read for several questions

QUESTIONS = WANTS, IDLE = "wants", "idle"

Weights = Mapping[str, float]


def cue(text: str, usual: str = "", by_meaning: Wording = UNKNOWN_WORDING) -> float:
    """Returns the log odds that a message asks for a memory.

    `usual` is the usual_language() of the same people, for short messages. `by_meaning` counts for
    a language without weights.
    """
    found = _mean_odds(text, WANTS, usual)
    return by_meaning.cue if found is None else found


def idle(text: str, usual: str = "", by_meaning: Wording = UNKNOWN_WORDING) -> float:
    """Returns the log odds that a message is small talk, as cue() does."""
    found = _mean_odds(text, IDLE, usual)
    return by_meaning.idle if found is None else found


def _mean_odds(text: str, question: str, usual: str) -> float | None:
    """Returns None if no language of the text has weights."""
    found = (log_odds(text, code, question) for code in _languages_of(text, usual))
    odds = [one for one in found if one is not None]
    return sum(odds) / len(odds) if odds else None


@memoize(chars=_CACHE_CHARS)
def log_odds(text: str, code: str, question: str) -> float | None:
    """Returns the log odds by one language's weights for one question, None if it has none."""
    if (known := _weights(code)) is None:
        return None
    weights, (pieces, signs) = known[question], cue_features(text)
    found = sum(filter(None, map(weights.get, chain(pieces, signs))))
    return found + weights[LENGTH] * log_length(text) + weights[OFFSET]


def _languages_of(text: str, usual: str) -> tuple[str, ...]:
    """Returns each language that a text may be in.

    "Danke dir" has no word that only German has, and slang ("jsuis", "ya") may look like another
    language. So a language in Latin letters other than the usual one needs a clear lead.
    """
    found = languages_of(text)
    if usual and found and LATIN.keys() >= set(found):
        votes = _latin_votes(text)
        if votes[usual] + _USUAL_LEAD >= max(votes.values()):
            found = (usual,)
    return found


def usual_language(texts: Sequence[str]) -> str:
    """Returns the commonest language in Latin letters, nothing if there is none."""
    spoken = [code for text in texts for code in languages_of(text)]
    usual = max(LATIN, key=spoken.count)
    return usual if usual in spoken else ""


_latin_votes = memoize(chars=_CACHE_CHARS)(latin_votes)


@memoize(chars=_CACHE_CHARS)
def cue_features(text: str) -> tuple[set[str], set[str]]:
    """Returns the pieces of a message that may have a weight, and its signs.

    Pieces are words, pairs of words, and parts of words (of four letters, so that inflected forms
    have some in common); in scripts without blanks, characters and pairs of them.
    """
    plain = normalised("NFKC", text[:_MAX_CHARS]).casefold().replace("’", "'")  # noqa: RUF001
    return _pieces(plain), {sign for sign, mark in _SIGNS.items() if mark.search(plain)}


@memoize(chars=_CACHE_CHARS)
def log_length(text: str) -> float:
    """Returns log(1 + n), where n counts words, or characters in scripts without blanks."""
    words = _WORDS.findall(text[:_MAX_CHARS])
    return math.log1p(sum(len(word) if _IS_WIDE.match(word) else 1 for word in words))


def relative_length(text: str, usual: str = "") -> float:
    """Returns the log length minus the language's average log length."""
    codes = _languages_of(text, usual)
    means = [weights[WANTS][MEAN_LENGTH] for code in codes if (weights := _weights(code))]
    return log_length(text) - fmean(means or map(usual_length, codes or [usual]))


def _pieces(plain: str) -> set[str]:
    """Returns words, pairs, and rows of four signs of a word, its ends counted as signs."""
    words = _WORDS.findall(plain)
    found = {f"{left} {right}" for left, right in pairwise(words)}
    for word in words:
        if _IS_WIDE.match(word):
            found.update(word, [left + right for left, right in pairwise(word)])
        else:
            found.add(FULL_FORMS.get(word, word))
            ends = f"{_END}{word}{_END}"
            starts = range(len(ends) - _PART + 1)
            found.update([_PART_MARK + ends[start : start + _PART] for start in starts])
    if words:
        first = words[0]
        begin = first[:2] if _IS_WIDE.match(first) else FULL_FORMS.get(first, first)
        found.add(_FIRST_MARK + begin)
    return found


@cache
def _weights(code: str) -> Mapping[str, Weights] | None:
    """Returns the weights for each question in a language, None if it has none."""
    path = FOLDER / f"{code}.json"
    found: dict[str, Weights] = json.loads(path.read_text("utf-8")) if path.exists() else {}
    return found or None


def languages() -> Mapping[str, Mapping[str, Weights]]:
    """Returns the weights for each question, by language code."""
    codes = sorted(path.stem for path in FOLDER.glob("*.json"))
    return {code: weights for code in codes if (weights := _weights(code))}
