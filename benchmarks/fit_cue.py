"""Learns from examples how messages are put that want a memory, for each language by itself.

The examples are those of benchmarks/data/wording, each as it is and as many type it: in small
letters, without apostrophes and the final sign. --write replaces the weights that recall uses.

    python benchmarks/fit_cue.py --write
"""

import argparse
import json
import re
import sys
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))  # works without being installed

from benchmarks.logistic import Matrix, logistic
from memory_core.recall.cue import BIAS, FOLDER, LENGTH, cue_facts, cue_features

DATA = Path(__file__).resolve().parent / "data" / "wording"
_LEAST_OFTEN = 2
_RIDGE = 3.0
_LEFT_OUT = re.compile("['’]|[\\s.?!。？！]+$")  # noqa: RUF001


@dataclass(frozen=True, slots=True, kw_only=True)
class Example:
    text: str
    wants: bool
    kind: str


def examples(path: Path) -> list[Example]:
    """Reads a file of lines: label, kind and text, separated by tabs."""
    lines = path.read_text(encoding="utf-8").splitlines()
    parts = (line.split("\t") for line in lines)
    return [Example(text=text, wants=label == "1", kind=kind) for label, kind, text in parts]


def ways(text: str) -> tuple[str, str]:
    """Returns the text as it is, and as many type it."""
    return text, _LEFT_OUT.sub("", text.lower()) or text


def learned(found: Sequence[Example]) -> dict[str, float]:
    """Returns a weight for every feature that occurs in more than one example."""
    often = Counter(chain.from_iterable(chain(*cue_features(it.text)) for it in found))
    known = sorted(it for it, times in often.items() if times >= _LEAST_OFTEN)
    column = {it: at for at, it in enumerate([*known, LENGTH, BIAS])}
    wants = np.array([float(it.wants) for it in found for _ in ways(it.text)])
    even = np.where(wants > 0, 0.25 / wants.mean(), 0.25 / (1.0 - wants.mean()))
    rows = _rows((text for it in found for text in ways(it.text)), column)
    weights = logistic(rows, wants, even, _RIDGE)
    rounded = {it: round(float(weights[at]), 3) for it, at in column.items()}
    return {it: weight for it, weight in rounded.items() if weight}


def _rows(texts: Iterable[str], column: Mapping[str, int]) -> Matrix:
    listed = list(texts)
    table = np.zeros((len(listed), len(column)))
    for at, text in enumerate(listed):
        for name, value in cue_facts(text, column).items():
            table[at, column[name]] = value
    return table


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--write", action="store_true", help=f"write into {FOLDER.name}")
    asked = parser.parse_args()
    for path in sorted(DATA.glob("*.tsv")):
        found = examples(path)
        weights = learned(found)
        print(f"{path.stem}: {len(found)} examples, {len(weights)} weights")
        if asked.write:
            text = json.dumps(weights, ensure_ascii=False, indent=0, sort_keys=True)
            (FOLDER / f"{path.stem}.json").write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
