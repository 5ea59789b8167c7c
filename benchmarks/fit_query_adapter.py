"""Learns the matrix that turns a message's vector towards the memories that answer it.

A ridge regression predicts the vectors of all-MiniLM-L6-v2, the teacher, from those of the built-in
model. The matrix is the identity plus the product of the regression with itself: multiplied by two
vectors, it gives their own cosine and the one that the teacher would give. The texts are English:
definitions and examples of WordNet, alone and two or three together, as memories are often longer,
and those of benchmarks/data/wording and benchmarks/data/short_facts, which count more, as they are
what people type. No history is among them. Prints how far the products agree with the teacher's, on
texts that were not learned. --write replaces the matrix that recall uses.

    apt-get install wordnet-base && make minilm
    .venv-minilm/bin/python benchmarks/fit_query_adapter.py --write
"""

import argparse
import random
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))  # works without being installed

from benchmarks.command import run
from benchmarks.fit_cue import DATA as WORDING
from benchmarks.fit_cue import examples
from benchmarks.fit_informative import FACTS, embedded
from benchmarks.product import chosen_embedder
from memory_core.providers.embedders.base import Embedder, Vectors
from memory_core.recall.cue import WANTS
from memory_core.recall.query_adapter import MATRIX

_ALONE, _TOGETHER, _TESTED = 70_000, 24_000, 3_000
_TYPED_WEIGHT = 5.0  # of what people type
_RIDGE = 10.0
_TEACHER_SHARE = 0.8
_LETTERS = range(9, 200)


def wordnet_texts(folder: Path) -> Iterator[str]:
    """Returns each definition and example of WordNet's data files, and a word of each entry."""
    for path in sorted(folder.glob("data.*")):
        for line in path.read_text(encoding="latin-1").splitlines():
            entry, bar, glosses = line.partition("|")
            if bar and not line.startswith(" "):
                yield entry.split()[4].replace("_", " ")
                texts = (text.strip(' "') for text in glosses.split(";"))
                yield from (text for text in texts if len(text) in _LETTERS)


def typed_texts() -> list[str]:
    """Returns the English examples of wording, and the short facts."""
    wording = [entry.text for entry in examples(WORDING / "en.tsv", WANTS)]
    return [*wording, *(FACTS / "en.txt").read_text(encoding="utf-8").splitlines()]


def joined_texts(texts: Sequence[str], typed: Sequence[str], chance: random.Random) -> list[str]:
    """Returns texts of two and three random ones; a quarter begin with what somebody typed."""
    sentences = [text for text in texts if " " in text]
    two = [". ".join(chance.sample(sentences, 2)) for _ in range(_TOGETHER // 2)]
    three = [". ".join(chance.sample(sentences, 3)) for _ in range(_TOGETHER // 4)]
    said = [f"{chance.choice(typed)} {chance.choice(sentences)}" for _ in range(_TOGETHER // 4)]
    return [*two, *three, *said]


def vectors_of(texts: Sequence[str], embedder: Embedder) -> Vectors:
    """Returns the vectors of the texts, shape (len(texts), dim); batches are of similar length."""
    order = sorted(range(len(texts)), key=lambda index: len(texts[index]))
    return embedded([texts[index] for index in order], embedder)[np.argsort(order)]


def learned(inputs: Vectors, targets: Vectors, counts: Vectors) -> Vectors:
    """Returns the matrix, shape (dim, dim), from vectors of both models for the same texts."""
    weighted = inputs * counts[:, None]
    covariance = weighted.T @ inputs + _RIDGE * np.eye(inputs.shape[1])
    regression = np.linalg.solve(covariance, weighted.T @ targets)
    regression /= np.sqrt(((inputs @ regression) ** 2).sum(axis=1).mean())
    own = (1.0 - _TEACHER_SHARE) * np.eye(inputs.shape[1])
    return np.asarray(own + _TEACHER_SHARE * regression @ regression.T, dtype=np.float16)


def agreement(matrix: Vectors, inputs: Vectors, targets: Vectors) -> float:
    """Returns the correlation of the products with the teacher's cosines, over all pairs."""
    pairs = np.triu_indices(len(inputs), 1)
    products, cosines = inputs @ matrix @ inputs.T, targets @ targets.T
    return float(np.corrcoef(products[pairs], cosines[pairs])[0, 1])


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--wordnet", type=Path, default=Path("/usr/share/wordnet"))
    parser.add_argument("--write", action="store_true", help=f"write {MATRIX.name}")
    asked = parser.parse_args()
    built_in, teacher = chosen_embedder("built-in"), chosen_embedder("minilm")
    assert built_in is not None
    assert teacher is not None
    chance = random.Random(1)
    known = sorted(set(wordnet_texts(asked.wordnet)))
    alone = chance.sample(known, _ALONE + _TESTED)
    typed = typed_texts()
    texts = [*alone, *joined_texts(alone[_TESTED:], typed, chance), *typed]
    inputs, targets = vectors_of(texts, built_in), vectors_of(texts, teacher)
    counts = np.ones(len(texts), dtype=np.float32)
    counts[-len(typed) :] = _TYPED_WEIGHT
    matrix = learned(inputs[_TESTED:], targets[_TESTED:], counts[_TESTED:])
    for name, used in (("before", np.eye(len(matrix))), ("after", matrix)):
        found = agreement(used.astype(np.float32), inputs[:_TESTED], targets[:_TESTED])
        print(f"agreement with the teacher {name}: {found:.3f}")
    if asked.write:
        np.save(MATRIX, matrix)


if __name__ == "__main__":
    run(main)
