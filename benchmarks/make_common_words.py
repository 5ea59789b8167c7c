"""Counts the common words of everyday messages, and writes the tables that recall uses.

The examples of benchmarks/data/wording are counted, each language by itself. A term belongs to a
table if at least _MIN_SHARE of its language's messages contain the term. Single characters are
left out: in Chinese and Japanese each is part of many words, common and telling ones.

    python benchmarks/make_common_words.py
"""

import json
import sys
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))  # works without being installed

from benchmarks.command import run
from memory_core.text.lexicon import COMMON_WORDS
from memory_core.text.search_terms import terms

DATA = Path(__file__).resolve().parent / "data" / "wording"
_MIN_SHARE = 0.002
_DIGITS = 4


def common_words(texts: Sequence[str]) -> dict[str, float]:
    """Returns the common terms of these texts, each with the share of texts that contain it."""
    counts = Counter(term for text in texts for term in set(terms(text)))
    shares = {term: count / len(texts) for term, count in sorted(counts.items())}
    return {
        term: round(it, _DIGITS)
        for term, it in shares.items()
        if it >= _MIN_SHARE and len(term) > 1
    }


def examples(path: Path) -> list[str]:
    """Returns the texts of a file whose lines hold label, kind and text, separated by tabs."""
    return [line.split("\t")[2] for line in path.read_text(encoding="utf-8").splitlines()]


def main() -> None:
    COMMON_WORDS.mkdir(exist_ok=True)
    for path in sorted(DATA.glob("*.tsv")):
        found = common_words(examples(path))
        text = json.dumps(found, ensure_ascii=False, indent=0)
        (COMMON_WORDS / f"{path.stem}.json").write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    run(main)
