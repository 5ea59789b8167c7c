"""Detects the languages of a message, and measures how well an embedder knows one.

The chat history decides ambiguous cases. Sizes are counted in UTF-8 bytes of letters. A Chinese
character then counts as much as a short word, and a foreign name does not outweigh the rest of a
message.

language_probes.json has pairs of sentence and paraphrase for each language, all on different
subjects, that share hardly any word. An embedder that knows the language places a sentence nearest
to its own paraphrase.
"""

import hashlib
import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np

from ..providers.embedders.base import Embedder
from ..storage.contract import Table
from ..text.language import LATIN, languages_of

_KNOWS_NOTHING, _KNOWS_ALL = 0.65, 0.90  # chance is 0.5; word hashes reach 0.65 by luck
_SAME = 1e-6  # two cosines that differ by less are a tie


@dataclass(frozen=True, slots=True, kw_only=True)
class Probes:
    """One language's English name and its pairs of sentence and paraphrase."""

    name: str
    pairs: Sequence[tuple[str, str]]


@cache
def all_probes() -> Mapping[str, Probes]:
    """Returns the probes of each language, by ISO 639-1 code."""
    found = json.loads(_probes_file())
    return {
        code: Probes(
            name=probe["name"], pairs=tuple((first, second) for first, second in probe["pairs"])
        )
        for code, probe in found.items()
    }


@cache
def probes_digest() -> str:
    """Returns a short hash of all probes. Only measures with equal hashes are comparable."""
    return hashlib.sha256(_probes_file()).hexdigest()[:16]


def measure_language(embedder: Embedder, language: str) -> float:
    """Returns the share of other paraphrases that lie farther than the right one: 0.5 is chance.

    Raises EmbedderUnavailable.
    """
    pairs = all_probes()[language].pairs
    statements = embedder.embed([statement for statement, _ in pairs])
    paraphrases = embedder.embed([paraphrase for _, paraphrase in pairs])
    cosines = np.asarray(statements @ paraphrases.T, dtype=np.float64)
    return (_mean_rank_share(cosines) + _mean_rank_share(cosines.T)) / 2


def trust_from(rank_share: float) -> float:
    """Maps a measured share to a trust of 0 (chance) … 1 (well above chance)."""
    above_chance = (rank_share - _KNOWS_NOTHING) / (_KNOWS_ALL - _KNOWS_NOTHING)
    return min(1.0, max(0.0, above_chance))


def _mean_rank_share(cosines: Table) -> float:
    """Returns the mean share of cosines per row that are below the diagonal's; a tie counts half.

    `cosines` has shape (n, n).
    """
    lead = np.diag(cosines)[:, None] - cosines
    others = ~np.eye(len(cosines), dtype=bool)
    farther = np.where(np.abs(lead) <= _SAME, 0.5, lead > 0)
    return float(farther[others].mean())


def _probes_file() -> bytes:
    return Path(__file__).with_name("language_probes.json").read_bytes()


UNKNOWN = ""
_MIN_SURE_BYTES = 40  # bytes of letters; a shorter text may be in any language of the history
_MIN_SHARE = 0.1  # of a history's texts; smaller shares are taken for mistakes
_LATIN_LETTERS = "A-Za-z\u00c0-\u024f\u1e00-\u1eff"
_LATIN_LETTER = re.compile(f"[{_LATIN_LETTERS}]")
_OTHER_LETTER = re.compile(rf"[^\W\d_{_LATIN_LETTERS}]")
_SHARED_SCRIPTS = (frozenset((*LATIN, "vi")), frozenset(("zh", "ja")), frozenset(("ru", "uk")))
_MAX_CHARS = 2_000
_NO_LETTERS = bytes(code for code in range(256) if not chr(code).isalpha() or code > 127)

Shares = Mapping[str, float]


def language_shares(texts: Iterable[str]) -> Shares:
    """Returns the share of texts per language code, counting unambiguous texts only."""
    shares = _scaled(Counter(code for text in texts for code in certain_languages(text)))
    return _scaled({code: share for code, share in shares.items() if share >= _MIN_SHARE})


def certain_languages(text: str) -> list[str]:
    """Returns the languages of the parts that are long and unambiguous."""
    parts = ((languages_of(part), size) for part, size in _parts(text))
    return [codes[0] for codes, size in parts if len(codes) == 1 and size >= _MIN_SURE_BYTES]


def language_mix(text: str, history: Shares) -> Shares:
    """Returns the share of a message per language code; the shares add up to 1.

    `UNKNOWN` stands for letters of no known language. A text without letters gets the shares of
    the history, which may be empty.
    """
    parts = list(_parts(text))
    total = sum(size for _, size in parts)
    if not total:
        return history
    mix: dict[str, float] = {}
    for part, size in parts:
        for code, share in _mix_of_part(part, size, history).items():
            mix[code] = mix.get(code, 0.0) + share * size / total
    return mix


def _mix_of_part(part: str, size: int, history: Shares) -> Shares:
    candidates = languages_of(part)
    if not candidates:
        return {UNKNOWN: 1.0}
    known = {code: history[code] for code in candidates if code in history}
    own = _scaled(known or dict.fromkeys(candidates, 1.0))
    usual = _scaled(
        {code: share for code, share in history.items() if _share_script(code, candidates[0])}
    )
    if size >= _MIN_SURE_BYTES or not usual:
        return own
    return {code: (own.get(code, 0.0) + usual.get(code, 0.0)) / 2 for code in {*own, *usual}}


def _parts(text: str) -> Iterator[tuple[str, int]]:
    """Yields the part in Latin letters and the part in other letters, with sizes in bytes."""
    text = text[:_MAX_CHARS]
    if text.isascii():  # a tenth of the work
        if size := len(text.encode().translate(None, _NO_LETTERS)):
            yield text, size
        return
    for own, foreign in ((_LATIN_LETTER, _OTHER_LETTER), (_OTHER_LETTER, _LATIN_LETTER)):
        letters = "".join(own.findall(text))
        if letters:
            yield foreign.sub(" ", text), len(letters.encode("utf-8", "replace"))


def _share_script(one: str, other: str) -> bool:
    return one == other or any({one, other} <= codes for codes in _SHARED_SCRIPTS)


def _scaled(weights: Shares) -> dict[str, float]:
    total = sum(weights.values())
    return {code: weight / total for code, weight in weights.items()}
