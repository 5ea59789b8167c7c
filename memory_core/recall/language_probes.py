"""Measures how well an embedder knows a language, by pairs of sentence and paraphrase.

language_probes.json has pairs for each language, all on different subjects, that share hardly any
word. An embedder that knows the language places a sentence nearest to its own paraphrase.
"""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np

from ..providers.embedders.base import Embedder
from ..storage.contract import Table

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
