"""Makes the table of related words that recall uses without an embedder.

MiniLM embeds each word of benchmarks/data/vocabulary. Two search terms are as near as their nearest
words. MiniLM knows English alone; glossed in English, the words of other languages were of no use.

    .venv-minilm/bin/python benchmarks/make_related_words.py
"""

import json
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))  # works without being installed

from benchmarks.command import run
from benchmarks.product import chosen_embedder
from memory_core.providers.embedders.base import Embedder, Vectors, unit
from memory_core.storage.contract import Table
from memory_core.text.lexicon import RELATED_WORDS
from memory_core.text.search_terms import terms

DATA = Path(__file__).resolve().parent / "data" / "vocabulary"
_NEAREST = 20  # related terms of each term
_UNRELATED, _MIN_COSINE = 0.2, 0.35  # cosine of a nearness of 0, and the least that is listed


def words_by_term(words: Iterable[str]) -> dict[str, list[str]]:
    """Returns the words of each search term. A word without exactly one term is left out."""
    found = defaultdict[str, list[str]](list)
    for word in words:
        own = terms(word)
        if len(own) == 1:
            found[own[0]].append(word)
    return dict(found)


def related(words: Mapping[str, Sequence[str]], vectors: Vectors) -> Iterator[tuple[str, str]]:
    """Yields each term with its nearest terms and their nearness in percent.

    `vectors` has a unit vector for each word, in the order of `words`.
    """
    names = list(words)
    starts = np.cumsum([0, *(len(own) for own in words.values())])
    for index, name in enumerate(names):
        own = vectors[starts[index] : starts[index + 1]]
        nearest: Table = np.maximum.reduceat((own @ vectors.T).max(axis=0), starts[:-1])
        nearest[index] = -1.0
        order = [at for at in np.argsort(-nearest)[:_NEAREST] if nearest[at] >= _MIN_COSINE]
        shares = [(nearest[at] - _UNRELATED) / (1.0 - _UNRELATED) for at in order]
        listed = " ".join(
            f"{names[at]} {min(100, round(100 * share))}"
            for at, share in zip(order, shares, strict=True)
        )
        if listed:
            yield name, listed


def centred(embedder: Embedder, words: Sequence[str]) -> Vectors:
    """Returns unit vectors of the words, without what all of them share."""
    vectors = embedder.embed(words)
    return unit(vectors - vectors.mean(axis=0))


def main() -> None:
    embedder = chosen_embedder("minilm")
    assert embedder is not None
    RELATED_WORDS.mkdir(exist_ok=True)
    for path in sorted(DATA.glob("*.txt")):
        words = words_by_term(path.read_text(encoding="utf-8").split())
        vectors = centred(embedder, [word for own in words.values() for word in own])
        text = json.dumps(dict(sorted(related(words, vectors))), indent=0)
        (RELATED_WORDS / f"{path.stem}.json").write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    run(main)
