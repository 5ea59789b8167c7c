"""MaxScore finds the same best texts as scoring every text."""

from collections import Counter
from random import Random

import numpy as np
import pytest

from memory_core.storage.index.fulltext import maxscore
from memory_core.storage.index.fulltext.maxscore import MaxscoreSearch, best_texts
from memory_core.storage.index.fulltext.postings import LivePostings
from memory_core.storage.index.fulltext.segment_merge import IndexedRow, build_postings
from memory_core.text import bm25
from tests.storage.index.in_memory.rows import saturate

WORDS = [f"w{n}" for n in range(40)]
LIMIT = 12
MEAN = 9.0


def texts(random: Random, count: int) -> list[list[str]]:
    """Returns texts of different lengths, in which some words are common."""
    shares = [1 / (n + 1) for n in range(len(WORDS))]
    return [random.choices(WORDS, shares, k=random.randint(1, 20)) for _ in range(count)]


def scores(said: list[list[str]], weights: dict[str, float], rows: set[int]) -> dict[int, float]:
    found = {}
    for row, words in enumerate(said, start=1):
        counts = Counter(words)
        length = len(words) / MEAN
        score = sum(weight * saturate(counts[word], length) for word, weight in weights.items())
        if score and row in rows:
            found[row] = score
    return found


@pytest.mark.parametrize("worth_a_look", [0, 50, 10_000])
@pytest.mark.parametrize("seed", range(8))
def test_maxscore_finds_the_same_best_as_scoring_all(
    seed: int, worth_a_look: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(maxscore, "_LOOKUP_THRESHOLD", worth_a_look)
    random = Random(seed)
    said = texts(random, 400)
    rows_to_index = [
        IndexedRow(n, " ".join(word), "", f"id{n}", None, n, 0, 0) for n, word in enumerate(said, 1)
    ]
    gone = set(random.sample(range(1, 401), 40))
    parts = [rows_to_index[:250], rows_to_index[250:390], rows_to_index[390:]]
    sources = [LivePostings(build_postings(word)).without(np.array(sorted(gone))) for word in parts]
    live = set(range(1, 401)) - gone
    may_come = set(random.sample(sorted(live), 60)) if seed % 2 else live
    held = Counter(word for text in said for word in set(text))
    for _ in range(20):
        words = random.sample(WORDS, random.randint(1, 8))
        corpus = bm25.Corpus(size=400, mean_length=MEAN, document_frequency=held)
        weights = {word: corpus.weight(word) for word in words}
        rows = np.array(sorted(may_come)) if seed % 2 else None
        found, ids = best_texts(sources, weights, MEAN, LIMIT, rows)
        by_hand = scores(said, weights, may_come)
        expected = sorted(by_hand.values(), reverse=True)[:LIMIT]
        assert [by_hand[row] for row in found.tolist()] == pytest.approx(expected, abs=1e-5)
        assert ids.tolist() == [f"id{row}".encode() for row in found.tolist()]


def test_maxscore_looks_up_common_words_instead_of_reading_them(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(maxscore, "_LOOKUP_THRESHOLD", 0)
    said = [["common"] * 1 + (["rare"] if n % 20 == 0 else ["else"]) for n in range(1, 401)]
    source = LivePostings(
        build_postings(
            [IndexedRow(n, " ".join(word), "", "", None, n, 0, 0) for n, word in enumerate(said)]
        )
    )
    gone_through: list[maxscore.QueryTerm] = []
    monkeypatch.setattr(
        MaxscoreSearch,
        "_add",
        lambda self, word, _add=MaxscoreSearch._add: gone_through.append(word) or _add(self, word),
    )
    positions, _ = MaxscoreSearch(source, {"rare": 1, "common": 0.1}, 2.0).best(10, 0.0)
    assert [word.document_frequency for word in gone_through] == [20]
    assert len(positions) == 10
